"""The dates of a repeating value found the slow way: every day from the first on is asked whether the rule means it.

Shares no code with what it checks: no recurrence library, no arithmetic of the product, and instants from offsets alone.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
CAP = 1000
DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Date:
    """Start and end as clocks show them, as text, and as instants."""

    start: str
    end: str | None
    starts_at: dt.datetime | None = None
    ends_at: dt.datetime | None = None


def dates(value: dict[str, Any], horizon: dt.date) -> list[Date]:
    """The occurrences of a stored value by the contract's sentences."""
    rule = value["repeat"]
    first = dt.date.fromisoformat(value["start"][:10])
    found: list[Date] = []
    for day in meant_days(rule, first, horizon) if rule else [first]:
        date = date_on(day, first, value)
        if found and found[-1].start == date.start:
            # Samoa had no 30 December 2011: the date moved from it is that of the 31st.
            found[-1] = date
        elif len(found) < min(CAP, (rule and rule["count"]) or CAP):
            found.append(date)
        else:
            break
    return found


def meant_days(rule: dict[str, Any], first: dt.date, horizon: dt.date) -> Iterator[dt.date]:
    last = dt.date(9999, 12, 31)
    if rule["until"]:
        last = dt.date.fromisoformat(rule["until"])
    elif not rule["count"]:
        last = horizon
    day = first
    yield day
    while day < last:
        day += DAY
        if is_meant(day, rule, first):
            yield day


def is_meant(day: dt.date, rule: dict[str, Any], first: dt.date) -> bool:
    frequency, interval = rule["frequency"], rule["interval"]
    if frequency == "daily":
        return (day - first).days % interval == 0
    if frequency == "weekly":
        weeks = (monday_of(day) - monday_of(first)).days // 7
        return weeks % interval == 0 and DAYS[day.weekday()] in (rule["weekdays"] or [DAYS[first.weekday()]])
    months = (day.year - first.year) * 12 + day.month - first.month
    if frequency == "yearly":
        return day.day == first.day and months % (12 * interval) == 0
    if months % interval:
        return False
    if rule["monthly"] == "day":
        return day.day == first.day
    if day.weekday() != first.weekday():
        return False
    if is_last_of_month(first):
        return is_last_of_month(day)
    return place(day) == place(first)


def monday_of(day: dt.date) -> dt.date:
    return day - dt.timedelta(days=day.weekday())


def is_last_of_month(day: dt.date) -> bool:
    """Whether no such weekday follows in the month."""
    return (day + 7 * DAY).month != day.month


def place(day: dt.date) -> int:
    """How many such weekdays the month has had, this one included."""
    return sum(1 for number in range(1, day.day + 1) if day.replace(day=number).weekday() == day.weekday())


def date_on(day: dt.date, first: dt.date, value: dict[str, Any]) -> Date:
    if value["all_day"]:
        length = (dt.date.fromisoformat(value["end"]) - first) if value["end"] else None
        return Date(day.isoformat(), (day + length).isoformat() if length is not None else None)
    zone = ZoneInfo(value["tz"])
    clock = dt.datetime.fromisoformat(value["start"]).time()
    planned = dt.datetime.combine(day, clock)
    start, starts_at = instant(planned, zone)
    if not value["end"]:
        return Date(start.isoformat(), None, starts_at, starts_at)
    closes = dt.datetime.fromisoformat(value["end"])
    end, ends_at = instant(dt.datetime.combine(day + (closes.date() - first), closes.time()), zone)
    if day != first and start != planned and ends_at <= starts_at:
        # Clocks skip the start, and nothing is left: the end moves with it.
        end, ends_at = instant(start + (closes - dt.datetime.fromisoformat(value["start"])), zone)
    if ends_at < starts_at:
        end, ends_at = start, starts_at
    return Date(start.isoformat(), end.isoformat(), starts_at, ends_at)


@cache
def instant(wall: dt.datetime, zone: ZoneInfo) -> tuple[dt.datetime, dt.datetime]:
    """Local time and instant: the first at which clocks show `wall`, or the one after the gap in which they never do."""
    around = wall.replace(tzinfo=dt.UTC)
    offsets = {offset_at(around + hours * dt.timedelta(hours=6), zone) for hours in range(-6, 7)}
    shown = sorted(around - offset for offset in offsets if offset_at(around - offset, zone) == offset)
    if shown:
        return wall, shown[0]
    change = change_between(around - 2 * DAY, around + 2 * DAY, zone)
    before = offset_at(change - dt.timedelta(seconds=1), zone)
    moved = around - before
    return (moved + offset_at(moved, zone)).replace(tzinfo=None), moved


def offset_at(moment: dt.datetime, zone: ZoneInfo) -> dt.timedelta:
    offset = moment.astimezone(zone).utcoffset()
    assert offset is not None
    return offset


def change_between(low: dt.datetime, high: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """The second from which another offset holds."""
    old = offset_at(low, zone)
    assert offset_at(high, zone) != old
    while high - low > dt.timedelta(seconds=1):
        middle = low + dt.timedelta(seconds=(high - low) // dt.timedelta(seconds=2))
        low, high = (middle, high) if offset_at(middle, zone) == old else (low, middle)
    return high


@dataclass(frozen=True)
class Change:
    """A night on which clocks change: what they would show next, and what they show instead."""

    before: dt.datetime
    after: dt.datetime

    @property
    def inside(self) -> dt.datetime:
        """A wall-clock time in the middle of what is skipped or shown twice."""
        return min(self.before, self.after) + (abs(self.after - self.before) / 2 // dt.timedelta(minutes=1)) * dt.timedelta(
            minutes=1
        )


def changes(zone: ZoneInfo, year: int) -> list[Change]:
    found = []
    moment = dt.datetime(year, 1, 1, tzinfo=dt.UTC) - 2 * DAY
    while moment.year <= year:
        if offset_at(moment, zone) != offset_at(moment + DAY, zone):
            at = change_between(moment, moment + DAY, zone)
            shown = at.replace(tzinfo=None)
            found.append(Change(shown + offset_at(at - dt.timedelta(seconds=1), zone), shown + offset_at(at, zone)))
        moment += DAY
    return found
