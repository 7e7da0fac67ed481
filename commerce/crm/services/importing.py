"""Contact imports."""

from collections.abc import Mapping, Sequence
from typing import Any

from cms_api.core.module import Outcome
from commerce.common.types import split_name, split_tags

from ..resources import ContactInput
from ..types import read_lifecycle
from .contacts import upsert_contacts


def read(cells: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row. Raises Invalid."""
    sent: dict[str, Any] = {name: cell for name, cell in cells.items() if cell.strip()}
    first, last = split_name(sent.pop("name", ""))
    if "first_name" not in sent and "last_name" not in sent:
        sent |= {"first_name": first, "last_name": last}
    if "tags" in sent:
        # Google marks its own groups, such as `* myContacts`.
        sent["tags"] = [tag for tag in split_tags(sent["tags"]) if not tag.startswith("* ")]
    if "lifecycle" in sent:
        sent["lifecycle"] = read_lifecycle(sent["lifecycle"])
    return ContactInput.read(sent)


def write(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[Outcome]:
    """Create or fill in contacts; return the outcome of each row."""
    return [Outcome.of(created=each.created, changed=each.changed) for each in upsert_contacts(rows=rows, source="import")]
