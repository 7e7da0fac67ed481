"""The starts on offer are those that a second, slow way finds, in twelve zones and on the nights of both clock changes."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest

from commerce.booking.types.slots import SlotRule, starts
from commerce.common.types.hours import Period, Schedule, instant, working_spans
from commerce.common.types.spans import gaps, merge_spans, moment, overlaps

from . import oracle
from .schedules import ZONES, make_case

#: Two thousand in all where the long tests run.
FEW, MANY = 3, 164


def compare(seed: int, name: str) -> None:
    case = make_case(seed, name)
    working = working_spans(case.hours, case.days[0], case.days[-1])
    ours = starts(working, case.busy, case.off, case.rule, now=case.now)
    assert ours == oracle.starts(case.hours, case.days[0], case.days[-1], case.busy, case.off, case.rule, case.now), (
        f"seed {seed}"
    )


@pytest.mark.parametrize("name", ZONES)
def test_it_works(name: str) -> None:
    for seed in range(FEW):
        compare(seed, name)


@pytest.mark.long
@pytest.mark.parametrize("name", ZONES)
def test_many_schedules(name: str) -> None:
    for seed in range(FEW, FEW + MANY):
        compare(seed, name)


@pytest.mark.parametrize(
    ("name", "wanted", "found"),
    [
        ("Europe/Berlin", "2026-03-29 02:30", "2026-03-29 01:00"),
        ("Europe/Berlin", "2026-10-25 02:30", "2026-10-25 00:30"),
        ("America/New_York", "2026-03-08 02:00", "2026-03-08 07:00"),
        ("Australia/Lord_Howe", "2026-10-04 02:10", "2026-10-03 15:30"),
        ("Africa/Cairo", "2026-04-24 00:00", "2026-04-23 22:00"),
    ],
)
def test_times_that_are_skipped_or_repeated(name: str, wanted: str, found: str) -> None:
    """The first moment after a skipped time, and the first of two."""
    asked = datetime.fromisoformat(wanted)
    assert moment(instant(asked.date(), asked.time(), ZoneInfo(name))) == datetime.fromisoformat(f"{found}+00:00")


def test_a_day_is_as_long_as_its_clock_says_unless_the_clock_changes_in_it() -> None:
    day = [Period(time(9), time(17))]
    schedule = Schedule(ZoneInfo("Europe/Berlin"), dict.fromkeys(range(7), day))
    lengths = {end - start for start, end in working_spans(schedule, date(2026, 3, 27), date(2026, 3, 31))}
    assert lengths == {8 * 3600}
    night = Schedule(schedule.zone, {6: [Period(time(1), time(4))]})
    for change, hours in ((date(2026, 3, 29), 2), (date(2026, 10, 25), 4), (date(2026, 5, 31), 3)):
        ((start, end),) = working_spans(night, change, change)
        assert end - start == hours * 3600


def test_nothing_is_left_of_a_period_that_a_clock_change_skips() -> None:
    schedule = Schedule(ZoneInfo("Europe/Berlin"), {6: [Period(time(2, 10), time(2, 50))]})
    assert list(working_spans(schedule, date(2026, 3, 29), date(2026, 3, 29))) == []


def test_appointments_are_apart_by_both_their_times() -> None:
    """Ten minutes before, and five after, are fifteen between two."""
    rule = SlotRule(1800, step=300, before=600, after=300)
    found = starts([(0, 21_600)], [(10_800 - 600, 10_800 + 1800 + 300)], (), rule, now=-86_400)
    assert 10_800 - 1800 - 900 in found
    assert 10_800 + 1800 + 900 in found
    assert not [start for start in found if 10_800 - 1800 - 900 < start < 10_800 + 1800 + 900]


def test_times_before_and_after_may_lie_outside_of_working_hours() -> None:
    rule = SlotRule(3600, step=3600, before=1800, after=1800)
    assert starts([(0, 3600)], (), [(-7200, 0), (3600, 7200)], rule, now=-86_400) == [0]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 10, False), (0, 11, True), (19, 25, True), (20, 30, False), (35, 35, False), (25, 31, True)],
)
def test_overlaps(start: int, end: int, expected: bool) -> None:
    assert overlaps([(10, 20), (30, 40)], start, end) is expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 50, [(0, 10), (20, 30), (40, 50)]),
        (15, 35, [(20, 30)]),
        (20, 30, [(20, 30)]),
        (10, 20, []),
        (12, 18, []),
        (41, 45, [(41, 45)]),
        (5, 5, []),
        (35, 5, []),
    ],
)
def test_gaps(start: int, end: int, expected: list[tuple[int, int]]) -> None:
    assert list(gaps([(10, 20), (30, 40)], start, end)) == expected


def test_periods_that_overlap_offer_a_start_once() -> None:
    rule = SlotRule(600, step=600)
    assert starts([(0, 2400), (1200, 3000)], (), (), rule, now=0) == [0, 600, 1200, 1800, 2400]


def test_merged() -> None:
    assert merge_spans([(30, 40), (10, 20), (20, 25), (35, 50), (5, 5)]) == [(10, 25), (30, 50)]
