"""Times at which an order can be ready: a pure function of hours, rules and the present."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A time of the day in which the kitchen is open. One that closes no later than it opens ends on the next day."""

    opens: time
    closes: time


@dataclass(frozen=True, slots=True)
class Hours:
    """The periods of each weekday (0 is Monday), and those of days that differ; none on days that are closed."""

    weekly: Mapping[int, Sequence[Period]] = field(default_factory=dict)
    special: Mapping[date, Sequence[Period]] = field(default_factory=dict)

    def on(self, day: date) -> Sequence[Period]:
        return self.special[day] if day in self.special else self.weekly.get(day.weekday(), ())


@dataclass(frozen=True, slots=True)
class Rules:
    """`lead` is how long an order takes, `step` the length of a slot, `last_order` the time between the last slot and closing."""

    lead: timedelta
    step: timedelta
    last_order: timedelta
    days_ahead: int


def slots(hours: Hours, rules: Rules, now: datetime, zone: ZoneInfo) -> list[datetime]:
    """Return the times for which an order that is placed now can be taken: instants in UTC, in order, each once.

    The first one of a period is its opening, or the earliest moment at which an order can be ready, rounded up to the grid; the
    grid of each period starts at its opening. Periods are those of the days until `days_ahead`, and what is left of yesterday's.
    """
    today = now.astimezone(zone).date()
    earliest = now.astimezone(UTC) + rules.lead
    found: set[datetime] = set()
    for offset in range(-1, rules.days_ahead + 1):
        for opening, closing in _open_from_to(hours, today + timedelta(days=offset), zone):
            slot = opening + _steps(earliest - opening, rules.step) * rules.step
            while slot <= closing - rules.last_order:
                found.add(slot)
                slot += rules.step
    return sorted(found)


def _open_from_to(hours: Hours, day: date, zone: ZoneInfo) -> Iterator[tuple[datetime, datetime]]:
    """Yield the opening and the closing of each period of a day, in UTC."""
    for period in hours.on(day):
        until = day if period.closes > period.opens else day + timedelta(days=1)
        yield _instant(day, period.opens, zone), _instant(until, period.closes, zone)


def _instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return the instant of a time on the clock: the first of two in autumn; one that is skipped in spring is as much later."""
    return datetime.combine(day, at, zone).astimezone(UTC)


def _steps(gap: timedelta, step: timedelta) -> int:
    """Return how many steps are needed to get over a gap; none if it is over already."""
    return max(0, -(-gap // step))
