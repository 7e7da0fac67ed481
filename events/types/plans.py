"""The dates of a stored value, their identity, and the effect of an edit on existing dates.

Shared by materialization and preview, so that a preview shows what saving does.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import TextChoices

from .recurrence import MAX_OCCURRENCES, Occurrence, is_open_ended, occurrences

Value = dict[str, Any]
#: A start as stored, and its zone; all-day dates have none.
Key = tuple[str, str]


class DateStatus(TextChoices):
    """How a date differs from the rule."""

    #: Left out, as if it were not in the rule.
    SKIPPED = "skipped", "Skipped"
    #: Shown as cancelled.
    CANCELLED = "cancelled", "Cancelled"


def status_of(value: Any) -> str:
    """Return the DateStatus of the first date of a stored value; empty if it takes place."""
    if not isinstance(value, Mapping):
        return ""
    if value.get("skipped"):
        return DateStatus.SKIPPED.value
    return DateStatus.CANCELLED.value if value.get("cancelled") else ""


def key_of(value: Mapping[str, Any]) -> Key:
    return value["start"], "" if value.get("all_day") else value["tz"]


def stamp_of(start: str) -> str:
    """Return a local start as it is in slugs."""
    return start.replace("-", "").replace(":", "").lower()


def row_slug(owner_slug: str, start: str, vanished: int | None = None) -> str:
    """Return a slug with a double hyphen, which editors' slugs never have, so that it cannot collide.

    A date that has vanished from the rule may coexist with others that start at the same local time: its slug has its row's id.
    """
    slug = f"{owner_slug}--{stamp_of(start)}"
    return slug if vanished is None else f"{slug}-{vanished}"


def has_vanished(pk: int, slug: str, date: Value, changes: Mapping[str, str]) -> bool:
    """Return whether a row's date has vanished from the rule, and is kept as cancelled. `changes` are by local start.

    A cancelled date of the rule may have moved to the same start since: then the slug tells them apart.
    """
    if not date.get("cancelled"):
        return False
    return date["start"] not in changes or is_marked(pk, slug, date["start"])


def is_marked(pk: int, slug: str, start: str) -> bool:
    """Return whether the slug of a row says that its date has vanished."""
    return slug.endswith(row_slug("", start, pk))


def date_of(data: Mapping[str, Any], date_key: str) -> Value | None:
    """Return the date in a row's data, even if the type's date field has been replaced since."""
    return data.get(date_key) or next((value for value in data.values() if isinstance(value, dict)), None)


@dataclass(frozen=True, slots=True)
class Plan:
    """The dates of a value."""

    #: The date represented by the item itself.
    own: Key = ("", "")
    #: The dates represented by rows it owns.
    later: dict[Key, Value] = field(default_factory=dict)
    #: Whether more dates will be added over time.
    is_open: bool = False
    occurrences: tuple[Occurrence, ...] = ()


def plan_of(value: Mapping[str, Any], *, horizon: dt.date) -> Plan:
    """Return the plan for a stored value; empty for an empty value."""
    if not value:
        return Plan()
    found = occurrences(value, horizon=horizon)
    dates = [occurrence.value(value["tz"]) for occurrence in found]
    own = key_of(dates[0])
    later = {key: date for date in dates[1:] if (key := key_of(date)) != own}
    return Plan(own, later, is_open_ended(value) and len(dates) < MAX_OCCURRENCES, tuple(found))


def apply_changes(later: Mapping[Key, Value], changes: Mapping[str, str]) -> dict[Key, Value]:
    """Return the dates without those that are skipped, with the cancelled ones marked. `changes` are by local start."""
    shown = {key: date for key, date in later.items() if changes.get(key[0]) != DateStatus.SKIPPED}
    return {key: {**date, "cancelled": True} if key[0] in changes else date for key, date in shown.items()}


@dataclass(frozen=True, slots=True)
class Effect:
    """A date whose guests are notified: its words before, and after unless it is cancelled, and the number of people."""

    before: str
    after: str
    guests: int
    #: Whether it was cancelled before, and takes place after all.
    is_back: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """The number of an item's dates that saving adds, keeps, moves and removes."""

    added: int
    staying: int
    removed: int
    #: Removed dates that stay as cancelled because they have RSVPs.
    replied: int
    moved: int = 0
    effects: tuple[Effect, ...] = ()

    @property
    def is_change(self) -> bool:
        return bool(self.added or self.removed or self.moved)
