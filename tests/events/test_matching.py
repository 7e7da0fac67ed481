"""Which date becomes which when an event changes, as a pure function."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from cms_api.fields.datetimes import to_utc
from events.types.moves import Slot, have_same_shape, match_dates

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def slots(text: str, zone: str = "Europe/Paris", clock: str = "18:30") -> list[Slot]:
    """Dates on days of the year 2026, as in "3-22 3-29"; one may have a clock time of its own, as in "3-22@19:00"."""
    found = []
    for part in text.split():
        day, _, at = part.partition("@")
        month, number = map(int, day.split("-"))
        local = dt.datetime.combine(dt.date(2026, month, number), dt.time.fromisoformat(at or clock))
        start = to_utc(local, ZoneInfo(zone))
        found.append(Slot((local.isoformat(), zone), start, start + dt.timedelta(hours=2)))
    return found


def matched(before: list[Slot], after: list[Slot], now: dt.datetime = NOW, *, are_endless: bool = False) -> str:
    """The number of the new date for each former one, from 0 on, "x" where it vanishes."""
    moves = match_dates(before, after, now=now, are_endless=are_endless)
    numbers = {slot.key: str(number) for number, slot in enumerate(after)}
    return " ".join(numbers[moves[slot.key]] if slot.key in moves else "x" for slot in before)


WEEKS = "3-22 3-29 4-5 4-12"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(WEEKS, WEEKS, "0 1 2 3", id="nothing changes"),
        pytest.param(WEEKS, "3-25 4-1 4-8 4-15", "0 1 2 3", id="another weekday"),
        pytest.param(WEEKS, "5-3 5-10 5-17 5-24", "0 1 2 3", id="another month"),
        pytest.param(WEEKS, "3-22 3-29 4-5 4-12 4-19", "0 1 2 3", id="one is added"),
        pytest.param(WEEKS, "3-22 3-29 4-5", "0 1 2 x", id="one is removed"),
        pytest.param(WEEKS, "3-29 4-5 4-12", "x 0 1 2", id="the first is removed"),
        pytest.param(WEEKS, "3-15 3-22 3-29 4-5 4-12", "1 2 3 4", id="one is added before"),
        pytest.param(WEEKS, "3-22 4-5 4-19 5-3", "0 x 1 x", id="every other week"),
        pytest.param(WEEKS, "3-29 4-5 4-12 4-19", "x 0 1 2", id="a week later"),
        pytest.param(WEEKS, "3-22@19:00 3-29@19:00", "0 1 x x", id="another time, and fewer"),
        pytest.param(WEEKS, "3-22@19:00 4-5@19:00 4-19@19:00 5-3@19:00", "0 1 2 3", id="as many in another rhythm"),
        pytest.param(WEEKS, "6-1", "x x x x", id="a single other date"),
        pytest.param("3-22", "6-1", "0", id="the only date"),
        pytest.param("3-22", "6-1 6-8", "0", id="the only date becomes a series"),
        pytest.param("3-22", "3-15 3-22 3-29", "1", id="the only date is one of a series"),
        pytest.param("3-16 3-19 3-23 3-26", "3-17 3-19 3-24 3-26", "0 1 2 3", id="one of two weekdays"),
        pytest.param("3-22", "", "x", id="no date"),
        pytest.param("", "3-22", "", id="no date before"),
    ],
)
def test_it_works(before: str, after: str, expected: str) -> None:
    assert matched(slots(before), slots(after)) == expected


def test_half_an_hour_later() -> None:
    assert matched(slots(WEEKS), slots(WEEKS, clock="19:00")) == "0 1 2 3"


def test_another_time_zone() -> None:
    before = slots(WEEKS)
    for zone in ("Europe/Rome", "America/New_York", "Asia/Tokyo", "Pacific/Auckland"):
        assert matched(before, slots(WEEKS, zone)) == "0 1 2 3"
    # The same instants in winter, an hour later in summer.
    assert matched(before, slots(WEEKS, "Africa/Lagos")) == "0 1 2 3"
    assert matched(before, slots(f"{WEEKS} 4-19", "Africa/Lagos")) == "0 1 2 3"


def test_whole_days_that_get_a_time() -> None:
    days = [Slot((slot.key[0][:10], ""), slot.start, slot.end) for slot in slots(WEEKS, clock="00:00")]
    assert matched(days, slots(WEEKS)) == "0 1 2 3"
    assert matched(days, slots("3-22 3-29")) == "0 1 x x"


def test_dates_to_come_have_their_own_order() -> None:
    now = dt.datetime(2026, 4, 1, tzinfo=dt.UTC)
    assert matched(slots("3-1 3-8 4-6 4-13"), slots("3-10 4-7 4-14"), now) == "x x 1 2"
    # On a Tuesday all dates move from Mondays to Wednesdays, and one that was over is to come.
    assert matched(slots("3-23 3-30 4-6"), slots("3-25 4-1 4-8"), dt.datetime(2026, 3, 31, tzinfo=dt.UTC)) == "0 1 2"


def test_rules_without_an_end_shift_however_far_they_are_known() -> None:
    later = slots("3-24 3-31 4-7")
    assert matched(slots(WEEKS), later, are_endless=True) == "0 1 2 x"
    assert matched(slots(WEEKS), later) == "x x x x"
    rule = {"frequency": "weekly", "interval": 1, "until": None, "count": None, "weekdays": ["sun"], "monthly": None}
    assert have_same_shape({"repeat": rule}, {"repeat": rule | {"weekdays": ["tue"]}})
    for change in ({"interval": 2}, {"count": 5}, {"weekdays": ["tue", "wed"]}, {"frequency": "daily"}):
        assert not have_same_shape({"repeat": rule}, {"repeat": rule | change})
    assert not have_same_shape(None, {"repeat": rule})
