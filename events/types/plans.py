"""The dates that a stored value stands for, how they are told from each other, and what an edit makes of those before.

Laying dates out and previewing them both go by this, so that a preview tells what saving does.
"""

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from .recurrence import LIMIT, Occurrence, is_open_ended, occurrences

Value = dict[str, Any]
#: A start as it is stored, and its zone; whole days have none.
Key = tuple[str, str]


def key_of(value: Mapping[str, Any]) -> Key:
    return value["start"], "" if value.get("all_day") else value["tz"]


def date_of(data: Mapping[str, Any], date_key: str) -> Value | None:
    """The date that a row holds, also where the type has had another date field since."""
    return data.get(date_key) or next((value for value in data.values() if isinstance(value, dict)), None)


@dataclass(frozen=True, slots=True)
class Plan:
    """The dates of a value."""

    #: The item's own date, for which it stands itself.
    own: Key = ("", "")
    #: Those for which it owns rows.
    later: dict[Key, Value] = field(default_factory=dict)
    #: Whether more dates come with time.
    is_open: bool = False
    occurrences: tuple[Occurrence, ...] = ()


def plan_of(value: Mapping[str, Any], *, horizon: dt.date) -> Plan:
    """What is to be laid out for a stored value; nothing for none."""
    if not value:
        return Plan()
    found = occurrences(value, horizon=horizon)
    dates = [occurrence.value(value["tz"]) for occurrence in found]
    own = key_of(dates[0])
    later = {key: date for date in dates[1:] if (key := key_of(date)) != own}
    return Plan(own, later, is_open_ended(value) and len(dates) < LIMIT, tuple(found))


@dataclass(frozen=True, slots=True)
class Change:
    staying: frozenset[Key]
    vanished: frozenset[Key]
    added: frozenset[Key]


def compare(held: Collection[Key], wanted: Collection[Key]) -> Change:
    before, after = frozenset(held), frozenset(wanted)
    return Change(before & after, before - after, after - before)


@dataclass(frozen=True, slots=True)
class Difference:
    """How many dates an item is going to have that it has, has not, or has no longer."""

    added: int
    staying: int
    removed: int
    #: Removed ones that stay as cancelled because somebody has replied.
    replied: int

    @property
    def is_change(self) -> bool:
        return bool(self.added or self.removed)
