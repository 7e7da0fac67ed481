"""Ranges of days, and the intervals of a time line."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_timezone

from ..types.counting import begin_hour

DAY = timedelta(days=1)
#: Days of a range, by default and at most; and at most for hours.
DEFAULT_DAYS, MAX_DAYS, MAX_DAYS_BY_HOUR = 30, 366, 7
INTERVALS = ("hour", "day", "week", "month")


@dataclass(frozen=True, slots=True)
class Range:
    """Days in the site's time zone, the last one included."""

    first: date
    last: date
    #: The first days of months that are summed up, in this range and the one before it; the others are read day by day.
    months: frozenset[date] = field(default=frozenset(), compare=False)

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1

    @property
    def previous(self) -> "Range":
        """Return as many days before it."""
        return Range(self.first - timedelta(days=self.days), self.first - DAY, self.months)

    def by_day(self) -> "Range":
        """Return the range without summed months."""
        return Range(self.first, self.last)

    def split(self) -> tuple[list[date], list[tuple[date, date]]]:
        """Return the summed months that lie in the range as a whole, and the first and last days of what is between them."""
        months, days, start = [], [], self.first
        for month in sorted(self.months):
            if month >= self.first and (end := _end_of(month)) <= self.last:
                months.append(month)
                if start < month:
                    days.append((start, month - DAY))
                start = end + DAY
        return months, [*days, (start, self.last)] if start <= self.last else days

    def widen(self) -> "Range":
        """Return the range with the rest of its first and last month, where that is summed up and shorter than its part here.

        A month and the days to be taken away from it are fewer rows than the days that remain.
        """
        first, last = self.first, self.last
        for month in self.months & {first.replace(day=1), last.replace(day=1)}:
            end = _end_of(month)
            inside = (min(end, self.last) - max(month, self.first)).days + 1
            if (end - month).days + 1 < 2 * inside:
                first, last = min(first, month), max(last, end)
        return replace(self, first=first, last=last)

    def __iter__(self) -> Iterator[date]:
        return (self.first + timedelta(days=number) for number in range(self.days))


def read_range(first: date | None, last: date | None) -> Range:
    """Return the range of two dates; by default the 30 days that end today. Raises Invalid (`from`, `to`)."""
    today = timezone.localdate(timezone=site_timezone())
    last = last or (today if first is None or first <= today else first)
    try:
        first = first or last - timedelta(days=DEFAULT_DAYS - 1)
        found = Range(first, last)
        # Both ends, and those of the days before, must be in the calendar.
        _ = found.previous.first, last + DAY
    except OverflowError:
        raise Invalid({"from": "The from is not a valid date."}) from None
    if first > last:
        raise Invalid({"to": "The to must not be before the from."})
    if found.days > MAX_DAYS:
        raise Invalid({"to": f"The range may not be longer than {MAX_DAYS} days."})
    return found


def _end_of(month: date) -> date:
    """Return the last day of a month, given by its first."""
    return (month + timedelta(days=31)).replace(day=1) - DAY


def hours(found: Range, zone: ZoneInfo) -> Iterator[str]:
    """Yield the hours of a range as roll-ups name them; days on which the clock changes have 23 or 25."""
    moment, end = (datetime.combine(day, time(), tzinfo=zone).astimezone(UTC) for day in (found.first, found.last + DAY))
    while moment < end:
        yield moment.isoformat()
        moment += timedelta(hours=1)


def hour_of(name: str, zone: ZoneInfo) -> str:
    """Return the hour of the zone in which a stored one begins: earlier versions stored those of UTC."""
    return begin_hour(datetime.fromisoformat(name).astimezone(zone)).isoformat()


def bucket(day: date, interval: str) -> date:
    """Return the first day of the week, which is a Monday, or of the month of a day; the day itself for `day`."""
    if interval == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if interval == "month" else day
