"""Visitors over time, beside those of the range before."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Sum
from django.utils import timezone

from cms_api.flags.selectors import site_timezone

from ..models import RollUp
from ..types.counting import Dimension
from .breakdowns import EVERYTHING
from .ranges import Range, bucket, hour_of, hours
from .reports import Filter, roll_ups

#: The longest ranges in days that are shown by hour, by day and by week; longer ones are shown by month.
DAYS_BY_HOUR, DAYS_BY_DAY, DAYS_BY_WEEK = 2, 92, 190


@dataclass(frozen=True, slots=True)
class Point:
    """The visitors of an interval, and of as many days or of the hour at the same place in the range before."""

    #: A day, the Monday of a week, or the first of a month; the beginning of an hour.
    start: date | datetime
    #: None while the interval has not begun.
    visitors: int | None
    previous: int


@dataclass(frozen=True, slots=True)
class Timeline:
    interval: str
    points: list[Point]


def interval_of(found: Range, narrowed: Filter = EVERYTHING) -> str:
    """Return the interval of a range; there are no sums by hour of a dimension's values."""
    if found.days <= DAYS_BY_HOUR and not narrowed.dimension:
        return "hour"
    if found.days <= DAYS_BY_DAY:
        return "day"
    return "week" if found.days <= DAYS_BY_WEEK else "month"


def timeline(found: Range, narrowed: Filter = EVERYTHING) -> Timeline:
    """Return the visitors of a range by interval (one statement)."""
    interval = interval_of(found, narrowed)
    points = _hourly(found, narrowed) if interval == "hour" else _daily(found, narrowed, interval)
    return Timeline(interval, list(points))


def _hourly(found: Range, narrowed: Filter) -> Iterator[Point]:
    rows = RollUp.objects.filter(
        dimension=Dimension.HOUR, path=narrowed.path, day__range=(found.previous.first, found.last)
    ).values_list("value")
    zone, now = site_timezone(), timezone.now()
    known: Counter[str] = Counter()
    for stored, total in rows.annotate(total=Sum(narrowed.number("visitors"))):
        known[hour_of(stored, zone)] += total
    before = list(hours(found.previous, zone))
    for place, name in enumerate(hours(found, zone)):
        start = datetime.fromisoformat(name)
        # Days on which the clock changes have an hour more or less.
        earlier = known[before[place]] if place < len(before) else 0
        yield Point(start.astimezone(zone), known[name] if start <= now else None, earlier)


def _daily(found: Range, narrowed: Filter, interval: str) -> Iterator[Point]:
    rows = roll_ups(Range(found.previous.first, found.last), **narrowed.totals()).values_list("day")
    known: dict[date, int] = dict(rows.annotate(total=Sum(narrowed.number("visitors"))))
    today = timezone.localdate(timezone=site_timezone())
    sums: dict[date, tuple[int, int]] = {}
    for day, earlier in zip(found, found.previous, strict=True):
        start = bucket(day, interval)
        now, before = sums.get(start, (0, 0))
        sums[start] = now + known.get(day, 0), before + known.get(earlier, 0)
    for start, (now, before) in sums.items():
        yield Point(start, now if start <= today else None, before)
