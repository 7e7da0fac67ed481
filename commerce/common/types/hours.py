"""Opening and working hours: wall-clock hours in a zone, expanded date by date.

Nine o'clock is nine o'clock on both sides of a clock change.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from django.db.models import IntegerChoices

from .spans import Span

DAY = timedelta(days=1)


class Weekday(IntegerChoices):
    MONDAY = 0
    TUESDAY = 1
    WEDNESDAY = 2
    THURSDAY = 3
    FRIDAY = 4
    SATURDAY = 5
    SUNDAY = 6


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """Hours of a day. One that does not end after it begins ends on the next day."""

    opens: time
    closes: time

    @property
    def is_overnight(self) -> bool:
        return self.closes <= self.opens


@dataclass(frozen=True, slots=True)
class Schedule:
    """The hours of a business, or of a member of its staff. The periods of one day do not overlap."""

    zone: ZoneInfo
    #: By weekday, from 0 for Monday.
    weekly: Mapping[int, Sequence[Period]]
    #: Hours of single dates, instead of those of the weekday; none for a day off.
    dates: Mapping[date, Sequence[Period]] = field(default_factory=dict)
    #: Dates without hours, unless `dates` has some, such as public holidays.
    closed: Collection[date] = frozenset()

    def periods(self, day: date) -> Sequence[Period]:
        """Return the periods that begin on a date."""
        if day in self.dates:
            return self.dates[day]
        return () if day in self.closed else self.weekly.get(day.weekday(), ())


# Members of staff often have the same hours.
@lru_cache(maxsize=4096)
def instant(day: date, clock: time, zone: ZoneInfo) -> int:
    """Return the unix seconds of a time of the wall clock.

    A time that a clock change skips is the first one after it; one that a change repeats is the first of the two.
    """
    wanted = datetime.combine(day, clock, tzinfo=zone)
    found = wanted.astimezone(UTC)
    if found.astimezone(zone).replace(tzinfo=None) == wanted.replace(tzinfo=None):
        return int(found.timestamp())
    return _end_of_gap(wanted)


def _end_of_gap(skipped: datetime) -> int:
    """Return the moment of the clock change that skips a time."""
    zone = skipped.tzinfo
    # With `fold`, a skipped time is read by the offset after the change, else by that before it: the change is between them.
    before, after = (int(skipped.replace(fold=fold).astimezone(UTC).timestamp()) for fold in (1, 0))
    offset = datetime.fromtimestamp(after, zone).utcoffset()
    while before + 1 < after:
        middle = (before + after) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == offset:
            after = middle
        else:
            before = middle
    return after


def working_spans(schedule: Schedule, first: date, last: date) -> Iterator[Span]:
    """Yield the periods that begin on dates from `first` to `last`, in order. A clock change can leave nothing of one."""
    day = first
    while day <= last:
        for period in sorted(schedule.periods(day)):
            start = instant(day, period.opens, schedule.zone)
            end = instant(day + DAY if period.is_overnight else day, period.closes, schedule.zone)
            if start < end:
                yield start, end
        day += DAY
