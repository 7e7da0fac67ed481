"""The dates of a repeating datetime value: pure rules on local wall-clock time, which clock changes do not affect.

python-dateutil only computes days; times are added afterwards, so that no library does time zone arithmetic. Rules are
validated and stored by `cms_api.fields.repeat`.
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

from cms_api.fields.datetimes import folds, read_stored, settle, to_utc
from cms_api.fields.places import DAYS

#: Maximum occurrences of a rule, including the first.
MAX_OCCURRENCES = 1000

_FREQUENCIES = {"daily": rrule.DAILY, "weekly": rrule.WEEKLY, "monthly": rrule.MONTHLY, "yearly": rrule.YEARLY}

When = dt.date | dt.datetime


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One date of a value: naive local times, or whole days."""

    start: When
    end: When | None
    #: Whether the rule's time does not exist on this day because clocks skip it.
    is_moved: bool = False

    def value(self, zone: str) -> dict[str, Any]:
        """Return the occurrence in the stored format of datetime fields."""
        return {
            "start": self.start.isoformat(),
            "end": self.end.isoformat() if self.end else None,
            "all_day": not isinstance(self.start, dt.datetime),
            "tz": zone,
            "repeat": None,
            **folds(self.start, self.end),
        }


def is_open_ended(value: Mapping[str, Any]) -> bool:
    """Return whether a stored value repeats without an end."""
    rule = value.get("repeat") or {"until": "never"}
    return rule["until"] is None and rule["count"] is None


def occurrences(value: Mapping[str, Any], *, horizon: dt.date) -> list[Occurrence]:
    """Return all dates of a stored value, its own first, at most MAX_OCCURRENCES; rules without an end stop at `horizon`."""
    zone = ZoneInfo(value["tz"])
    start, end = _read(value, "start"), _read(value, "end") if value.get("end") else None
    first = start.date() if isinstance(start, dt.datetime) else start
    rule = value.get("repeat")
    most = min(rule["count"] or MAX_OCCURRENCES, MAX_OCCURRENCES) if rule else 1
    found: list[Occurrence] = []
    for day in _days(rule, first, horizon) if rule else [first]:
        try:
            each = _on(day, first, start, end, zone)
        except OverflowError:
            break
        if found and found[-1].start == each.start:
            # A zone has skipped a whole day: its occurrence falls on the next day, and the two are merged.
            found.pop()
        elif len(found) == most:
            break
        found.append(each)
    return found


def _read(value: Mapping[str, Any], key: str) -> When:
    return dt.date.fromisoformat(value[key]) if value["all_day"] else read_stored(value, key)


def _on(day: dt.date, first: dt.date, start: When, end: When | None, zone: ZoneInfo) -> Occurrence:
    """Return the occurrence on a day, shifting the first one's times by whole days.

    Of two equal local times, dates after the first have the first one: a shift takes no fold along.
    """
    shift = day - first
    planned, closing = (start + shift, end + shift if end else None) if shift else (start, end)
    if not isinstance(planned, dt.datetime):
        return Occurrence(planned, closing)
    shown = settle(planned, zone)
    if not isinstance(closing, dt.datetime):
        return Occurrence(shown, None, is_moved=shown != planned)
    ends = settle(closing, zone)
    if shift and shown != planned and to_utc(ends, zone) <= to_utc(shown, zone):
        # The clocks skipped its start, and nothing is left until its end, which moves too: the date keeps its length.
        ends = settle(closing + (shown - planned), zone)
    # The end of the first date may be later on clocks only because they skipped it, or showed its time twice.
    return Occurrence(shown, max(ends, shown, key=lambda when: to_utc(when, zone)), is_moved=shown != planned)


def _days(rule: Mapping[str, Any], first: dt.date, horizon: dt.date) -> Iterator[dt.date]:
    """Yield the local start days of occurrences: always the value's own, then those of the rule."""
    until = dt.date.fromisoformat(rule["until"]) if rule["until"] else None
    last = dt.date.max if rule["count"] else until or horizon
    yield first
    later = (moment.date() for moment in _rule(rule, first) if moment.date() > first)
    # The calendar ends in the middle of a week of the year 9999, and dateutil asks for the rest of that week.
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
    """Return which of its weekday in the month a day is, counted from 1; -1 for the last."""
    is_last = day.day + 7 > calendar.monthrange(day.year, day.month)[1]
    return -1 if is_last else (day.day - 1) // 7 + 1
