"""Opening hours minute by minute: another way to tell when a listing is open, slow and simple."""

from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import accumulate
from zoneinfo import ZoneInfo

from commerce.common.types.hours import Period, Schedule

MINUTE = timedelta(minutes=1)


def base(first: date) -> datetime:
    """The minute at which tables begin: everywhere before the date."""
    return datetime(first.year, first.month, first.day, tzinfo=UTC) - timedelta(days=1)


@cache
def _clocks(zone: ZoneInfo, first: date, days: int) -> list[datetime]:
    """The latest that the wall clock has shown by each minute: a time that is shown twice counts once."""
    minutes = (base(first) + place * MINUTE for place in range((days + 2) * 24 * 60))
    return list(accumulate((minute.astimezone(zone).replace(tzinfo=None) for minute in minutes), max))


def open_minutes(hours: Schedule, first: date, days: int) -> list[bool]:
    """Whether it is open in each minute from `base(first)` on, by the hours of so many dates."""
    clocks = _clocks(hours.zone, first, days)
    found = [False] * len(clocks)
    for opens, closes in _periods(hours, first, days):
        for minute in range(bisect_left(clocks, opens), bisect_left(clocks, closes)):
            found[minute] = True
    return found


def _periods(hours: Schedule, first: date, days: int) -> Iterator[tuple[datetime, datetime]]:
    for place in range(days):
        day = first + timedelta(days=place)
        for period in hours.periods(day):
            yield datetime.combine(day, period.opens), _end(day, period)


def _end(day: date, period: Period) -> datetime:
    is_tomorrow = period.closes <= period.opens
    return datetime.combine(day + timedelta(days=1) if is_tomorrow else day, period.closes)
