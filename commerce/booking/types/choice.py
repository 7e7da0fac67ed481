"""The times that customers choose from, on their own clock: months, days and times. No database access."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from commerce.common.types.spans import moment
from events.types.months import Month, month_of

from .services import FARTHEST_DAYS_AHEAD

#: Times of each day, in order: the instant, and the seats that are left.
Days = Mapping[date, list[tuple[datetime, int]]]

#: Months in which the first free day is looked for.
MONTHS_AHEAD = 3


@dataclass(frozen=True, slots=True)
class Months:
    """The months that can be browsed, both included."""

    first: Month
    last: Month

    def __contains__(self, month: Month) -> bool:
        return self.first <= month <= self.last

    def previous(self, month: Month) -> Month | None:
        return month.previous if month > self.first else None

    def next(self, month: Month) -> Month | None:
        return month.next if month < self.last else None

    @property
    def near(self) -> "Months":
        """Return the first few of them."""
        last = self.first
        for _ in range(MONTHS_AHEAD - 1):
            last = self.next(last) or last
        return Months(self.first, last)


def months_between(first: datetime, last: datetime, zone: ZoneInfo) -> Months:
    """Return the months of the days from one moment to another in a zone."""
    return Months(month_of(first.astimezone(zone).date()), month_of(last.astimezone(zone).date()))


def window(months: Months, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Return the moments at which the first month begins and the last month ends in a zone."""
    after_last = months.last.last + timedelta(days=1)
    return datetime.combine(months.first.first, time(0), tzinfo=zone), datetime.combine(after_last, time(0), tzinfo=zone)


def by_day(openings: Iterable[tuple[datetime, int]], zone: ZoneInfo) -> Days:
    """Sort openings into the days of a zone. Those at the same time become one, which has the seats of all."""
    seats: dict[datetime, int] = {}
    for starts_at, left in openings:
        seats[starts_at] = seats.get(starts_at, 0) + left
    days: dict[date, list[tuple[datetime, int]]] = {}
    for starts_at in sorted(seats):
        days.setdefault(starts_at.astimezone(zone).date(), []).append((starts_at, seats[starts_at]))
    return days


def read_day(text: str) -> date | None:
    """Read a day as it is in addresses: `2026-03-10`. None for anything else."""
    try:
        return date.fromisoformat(text) if len(text) == len("2026-03-10") else None
    except ValueError:
        return None


def read_start(text: str, *, now: datetime) -> datetime | None:
    """Read a time as unix seconds or as an ISO instant.

    None for anything else, and for a time that is past or too far ahead for any service.
    """
    try:
        if text.isascii() and text.isdigit() and len(text) <= len("4102444800"):
            found = moment(int(text))
        else:
            # A plus sign is a space in the query of an address.
            found = datetime.fromisoformat(text.strip().replace(" ", "+"))
    except ValueError:
        return None
    is_near = found.tzinfo is not None and now <= found <= now + timedelta(days=FARTHEST_DAYS_AHEAD + 1)
    return found.replace(microsecond=0).astimezone(UTC) if is_near else None
