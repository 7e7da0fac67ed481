"""The dates of a repeating datetime value: pure rules on local wall-clock time, which is kept over every change of the clocks.

python-dateutil counts the days; times are put on them afterwards, so that no library ever reckons with a time zone. Rules come
here as `core.fields.repeat` stores them, checked.
"""

import calendar
import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from typing import Any
from zoneinfo import ZoneInfo

from dateutil import rrule

from cms_api.fields.datetimes import settle, to_utc
from cms_api.fields.places import DAYS

#: Occurrences that a rule yields at most, the first included.
LIMIT = 1000

_FREQUENCIES = {"daily": rrule.DAILY, "weekly": rrule.WEEKLY, "monthly": rrule.MONTHLY, "yearly": rrule.YEARLY}

When = dt.date | dt.datetime


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One date of a value: naive wall-clock times as clocks show them, or whole days."""

    start: When
    end: When | None
    #: Whether a change of the clocks skipped the time of the rule on this day.
    is_moved: bool = False

    def value(self, zone: str) -> dict[str, Any]:
        """As a datetime field stores it."""
        return {
            "start": self.start.isoformat(),
            "end": self.end.isoformat() if self.end else None,
            "all_day": not isinstance(self.start, dt.datetime),
            "tz": zone,
            "repeat": None,
        }


def is_open_ended(value: Mapping[str, Any]) -> bool:
    """Whether a stored value repeats without an end of its own."""
    rule = value.get("repeat") or {"until": "never"}
    return rule["until"] is None and rule["count"] is None


def occurrences(value: Mapping[str, Any], *, horizon: dt.date) -> list[Occurrence]:
    """All dates of a stored datetime value, its own first and at most LIMIT; a rule without end goes as far as `horizon`."""
    zone = ZoneInfo(value["tz"])
    read = dt.date.fromisoformat if value["all_day"] else dt.datetime.fromisoformat
    start, end = read(value["start"]), read(value["end"]) if value.get("end") else None
    first = start.date() if isinstance(start, dt.datetime) else start
    rule = value.get("repeat")
    most = min(rule["count"] or LIMIT, LIMIT) if rule else 1
    found: list[Occurrence] = []
    for day in _days(rule, first, horizon) if rule else [first]:
        try:
            each = _on(day, first, start, end, zone)
        except OverflowError:
            break
        if found and found[-1].start == each.start:
            # A zone has skipped a whole day: what was moved from it falls on the next, and they are one.
            found.pop()
        elif len(found) == most:
            break
        found.append(each)
    return found


def _on(day: dt.date, first: dt.date, start: When, end: When | None, zone: ZoneInfo) -> Occurrence:
    """The occurrence on a day, which is as many days from the first one's as its times are from the first one's times."""
    shift = day - first
    planned, closing = start + shift, end + shift if end else None
    if not isinstance(planned, dt.datetime):
        return Occurrence(planned, closing)
    shown = settle(planned, zone)
    if isinstance(closing, dt.datetime):
        closing = settle(closing, zone)
        if to_utc(closing, zone) < to_utc(shown, zone):
            # The clocks skipped the whole of it.
            closing = shown
    return Occurrence(shown, closing, is_moved=shown != planned)


def _days(rule: Mapping[str, Any], first: dt.date, horizon: dt.date) -> Iterator[dt.date]:
    """The local dates on which occurrences begin: the value's own always, then those of the rule."""
    until = dt.date.fromisoformat(rule["until"]) if rule["until"] else None
    last = dt.date.max if rule["count"] else until or horizon
    yield first
    later = (moment.date() for moment in _rule(rule, first) if moment.date() > first)
    # The calendar ends with the year 9999, in the middle of a week of which dateutil still asks for the rest.
    with suppress(ValueError):
        yield from takewhile(lambda day: day <= last, later)


def _rule(rule: Mapping[str, Any], first: dt.date) -> rrule.rrule:
    narrowed: dict[str, Any] = {}
    if rule["weekdays"]:
        narrowed["byweekday"] = [DAYS.index(day) for day in rule["weekdays"]]
    if rule["monthly"] == "weekday":
        narrowed["byweekday"] = rrule.weekday(first.weekday(), place_in_month(first))
    midnight = dt.datetime.combine(first, dt.time())
    return rrule.rrule(_FREQUENCIES[rule["frequency"]], dtstart=midnight, interval=rule["interval"], wkst=rrule.MO, **narrowed)


def place_in_month(day: dt.date) -> int:
    """Which of its weekday's days in the month a day is, from 1; the last one is -1."""
    is_last = day.day + 7 > calendar.monthrange(day.year, day.month)[1]
    return -1 if is_last else (day.day - 1) // 7 + 1
