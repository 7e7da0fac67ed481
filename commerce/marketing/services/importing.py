"""Subscriber imports."""

from collections.abc import Mapping, Sequence
from typing import Any

from cms_api.core.module import Outcome
from commerce.common.types import join_tags, split_name, split_tags

from ..resources import SubscriberInput
from .subscribers import upsert_subscribers


def read(cells: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row. Raises Invalid."""
    sent: dict[str, Any] = {name: cell for name, cell in cells.items() if cell.strip()}
    first, last = split_name(sent.pop("name", ""))
    if "first_name" not in sent and "last_name" not in sent:
        sent |= {"first_name": first, "last_name": last}
    sent["tags"] = join_tags(split_tags(sent.get("tags", "")), split_tags(options.get("all_tags", "")))
    return SubscriberInput.read(sent)


def write(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[Outcome]:
    """Return the outcome of each row. Unsubscribed people stay unsubscribed; the option's tags are added to all."""
    tags = split_tags(options.get("all_tags", ""))
    stored = upsert_subscribers(rows=rows, source="import", tags=tags)
    return [Outcome.of(created=each.created, changed=each.changed) for each in stored]
