"""Slots against an oracle that walks through the minutes, also on the days on which the clocks change."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from commerce.common.types.hours import Period, Schedule
from commerce.restaurant.types.slots import Rules, slots

ZONE = ZoneInfo("America/New_York")
MINUTE = timedelta(minutes=1)


def minutes(first: date, days: int) -> Iterator[datetime]:
    at = datetime.combine(first, time(0), UTC)
    while at < datetime.combine(first, time(0), UTC) + timedelta(days=days):
        yield at
        at += MINUTE


class Oracle:
    """Finds instants by looking at the clock every minute."""

    def __init__(self, first: date, days: int) -> None:
        self.first_at: dict[datetime, datetime] = {}
        self.found: dict[datetime, datetime] = {}
        for at in minutes(first, days):
            self.first_at.setdefault(at.astimezone(ZONE).replace(tzinfo=None), at)

    def instant(self, day: date, at: time) -> datetime:
        """Return the first moment at which the clock has reached a time, also if that is skipped."""
        wall = datetime.combine(day, at)
        if wall not in self.found:
            self.found[wall] = min(moment for says, moment in self.first_at.items() if says >= wall)
        return self.found[wall]

    def slots(self, hours: Schedule, rules: Rules, now: datetime) -> list[datetime]:
        found = set()
        for offset in range(-1, rules.days_ahead + 1):
            day = now.astimezone(ZONE).date() + timedelta(days=offset)
            for period in hours.periods(day):
                at = self.instant(day, period.opens)
                until = self.instant(day + timedelta(days=period.closes <= period.opens), period.closes)
                while at <= until - rules.last_order:
                    if at >= now + rules.lead:
                        found.add(at)
                    at += rules.step
        return sorted(found)


WEEKLY = {
    0: [Period(time(11), time(14)), Period(time(17), time(22, 30))],
    2: [Period(time(11, 10), time(14))],
    5: [Period(time(18), time(2, 30))],
    6: [Period(time(1, 30), time(5)), Period(time(12), time(21))],
}
HOURS = Schedule(ZONE, WEEKLY, {date(2026, 3, 4): [], date(2026, 3, 3): [Period(time(10), time(11))]})


@pytest.mark.parametrize("day", [date(2026, 3, 2), date(2026, 3, 7), date(2026, 3, 8), date(2026, 10, 31), date(2026, 11, 1)])
@pytest.mark.parametrize("step", [15, 25])
def test_slots_are_those_of_the_oracle(day: date, step: int) -> None:
    oracle = Oracle(day - timedelta(days=2), 7)
    rules = Rules(timedelta(minutes=25), timedelta(minutes=step), timedelta(minutes=15), 2)
    for at in list(minutes(day, 1))[::7]:
        assert slots(HOURS, rules, at) == oracle.slots(HOURS, rules, at)


def test_a_period_across_midnight_goes_on_after_it() -> None:
    rules = Rules(timedelta(0), timedelta(minutes=30), timedelta(0), 0)
    now = datetime(2026, 5, 3, 0, 40, tzinfo=ZONE)
    found = [each.astimezone(ZONE).strftime("%H:%M") for each in slots(HOURS, rules, now)]
    assert found[:5] == ["01:00", "01:30", "02:00", "02:30", "03:00"]


@pytest.mark.both_databases
def test_there_are_none_after_the_last_order() -> None:
    rules = Rules(timedelta(minutes=25), timedelta(minutes=15), timedelta(minutes=15), 0)
    weekly = Schedule(ZONE, {3: [Period(time(17), time(22))]})
    last = datetime(2026, 5, 7, 21, 20, tzinfo=ZONE)
    assert len(slots(weekly, rules, last)) == 1
    assert slots(weekly, rules, last + MINUTE) == []


def test_the_grid_starts_at_the_opening() -> None:
    rules = Rules(timedelta(0), timedelta(minutes=25), timedelta(0), 0)
    found = slots(HOURS, rules, datetime(2026, 5, 6, 6, tzinfo=ZONE))
    assert found[0].astimezone(ZONE).time() == time(11, 10)
    assert {later - earlier for earlier, later in pairwise(found)} == {timedelta(minutes=25)}
