"""Creates, changes and deletes assignment rules."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from cms_api.core.errors import ErrorCollector, attribute, required_message
from cms_api.core.records import lock_or_build, store_record
from cms_api.text.search import fold
from commerce.common.services.checks import check_people

from ..models import AssignmentRule
from ..selectors import staff

MAX_NAME = 100
MAX_POSITION = 10_000
#: Maximum number of countries or sources per rule, and maximum length of each.
MAX_LISTED_VALUES = 200
MAX_WORD = 100


@transaction.atomic
def save_rule(*, values: Mapping[str, Any], rule: AssignmentRule | None = None, user: Any = None) -> AssignmentRule:
    """Create or change a rule. Raises Invalid.

    `values`: `name`, `position` (a number; lower ones are tried first), `enabled`, `countries` and `sources` (lists of
    strings; empty matches any), `assignees` (staff ids, at least one).
    """
    errors = ErrorCollector()
    saved = lock_or_build(AssignmentRule, rule)
    name = " ".join(str(values["name"]).split())
    if not name:
        errors.add("name", required_message("name"))
    elif len(name) > MAX_NAME:
        errors.add("name", f"The name may not be greater than {MAX_NAME} characters.")
    if not 0 <= values["position"] <= MAX_POSITION:
        errors.add("position", f"The position must be between 0 and {MAX_POSITION}.")
    countries = _words(values["countries"], "countries", errors)
    sources = _words(values["sources"], "sources", errors)
    people = check_people(errors, "assignees", values["assignees"], staff())
    errors.raise_if_any()
    saved.name, saved.position, saved.enabled = name, values["position"], values["enabled"]
    saved.countries, saved.sources = countries, sources
    # `last_assignee_id` is not saved: it is written when contacts are assigned.
    columns = ["name", "position", "enabled", "countries", "sources"]
    store_record(saved, user=user, columns=columns)
    saved.assignees.set(people)
    return saved


def _words(given: Iterable[str], path: str, errors: ErrorCollector) -> list[str]:
    """Remove duplicates, ignoring case and accents."""
    found: dict[str, str] = {}
    for word in given:
        if kept := " ".join(word.split()):
            found.setdefault(fold(kept), kept)
    if len(found) > MAX_LISTED_VALUES:
        errors.add(path, f"The {attribute(path)} may not have more than {MAX_LISTED_VALUES} items.")
    elif any(len(word) > MAX_WORD for word in found.values()):
        errors.add(path, f"Each of the {attribute(path)} may not be greater than {MAX_WORD} characters.")
    return list(found.values())
