"""Opening hours: reading them, when a listing is open, and the columns that say so."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cms_api.core.errors import Invalid
from cms_api.fields.places import DAYS
from commerce.directory.models import Listing
from commerce.directory.selectors.listings import ListingFilter
from commerce.directory.services.changed import set_opening
from commerce.directory.services.saving import save_listing
from commerce.directory.services.terms import move_openings
from commerce.directory.types.hours import HORIZON, is_all_day, next_opening, read_special_days, read_week, schedule
from tests.figures import figure

from .builders import DAILY, make_listing, reloaded
from .oracle import MINUTE, base, open_minutes

PARIS, NEW_YORK, LORD_HOWE = ZoneInfo("Europe/Paris"), ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe")
SANTIAGO, APIA, KATHMANDU = ZoneInfo("America/Santiago"), ZoneInfo("Pacific/Apia"), ZoneInfo("Asia/Kathmandu")
#: Zones, and the middle of the days that are looked at: most are days of clock changes.
CASES = [
    (PARIS, date(2026, 3, 29)),
    (PARIS, date(2026, 10, 25)),
    (NEW_YORK, date(2026, 3, 8)),
    (NEW_YORK, date(2026, 11, 1)),
    # By half an hour.
    (LORD_HOWE, date(2026, 4, 5)),
    (LORD_HOWE, date(2026, 10, 4)),
    # At midnight.
    (SANTIAGO, date(2026, 4, 5)),
    (SANTIAGO, date(2026, 9, 6)),
    # Without one of the dates.
    (APIA, date(2011, 12, 30)),
    (KATHMANDU, date(2026, 6, 1)),
]


def hours(*periods: str) -> list[dict[str, str]]:
    """Hours of a day, such as `09:00-17:00`."""
    return [dict(zip(("open", "close"), period.split("-"), strict=True)) for period in periods]


def at(text: str, zone: ZoneInfo = PARIS) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def opening(week: Any, now: datetime, special: Any = ()) -> tuple[str, str] | None:
    """The current or next opening, by the clocks of Paris."""
    found = next_opening(schedule(read_week(week), read_special_days(special), PARIS), now)
    return None if found is None else (shown(found[0]), shown(found[1]))


def shown(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, PARIS):%a %d %H:%M}"


# Reading.


@pytest.mark.both_databases
def test_it_works() -> None:
    week = read_week({"mon": hours("13:00-17:00", "09:00-12:00"), "sat": hours("20:00-02:00")})
    assert week == {**{day: [] for day in DAYS}, "mon": hours("09:00-12:00", "13:00-17:00"), "sat": hours("20:00-02:00")}
    assert read_week({"mon": [{"open": time(9), "close": time(17)}]}) == {
        **{day: [] for day in DAYS},
        "mon": hours("09:00-17:00"),
    }


@pytest.mark.parametrize("value", [None, "", {}, {"mon": []}, {day: [] for day in DAYS}, {"mon": None, "tue": ""}])
def test_no_hours(value: Any) -> None:
    assert read_week(value) is None


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ("mon", ["hours"]),
        ([], ["hours"]),
        (7, ["hours"]),
        ({1: []}, ["hours"]),
        ({"monday": []}, ["hours.monday"]),
        ({"\ud800": [], "x" * 100: []}, ["hours." + "x" * 20, r"hours.\ud800"]),
        ({"mon": 5}, ["hours.mon"]),
        ({"mon": {"open": "09:00"}}, ["hours.mon"]),
        ({"mon": "09:00-17:00"}, ["hours.mon"]),
        ({"mon": hours(*["09:00-10:00"] * 7)}, ["hours.mon"]),
        ({"mon": [None]}, ["hours.mon.0.open", "hours.mon.0.close"]),
        ({"mon": ["09:00"], "tue": False}, ["hours.mon.0.open", "hours.mon.0.close", "hours.tue"]),
        ({"mon": [{"open": "09:00"}]}, ["hours.mon.0.close"]),
        ({"mon": hours("09:00-12:00", "9:00-25:00")}, ["hours.mon.1.open", "hours.mon.1.close"]),
        ({"sun": hours("24:00-12:60")}, ["hours.sun.0.open", "hours.sun.0.close"]),
        ({"sun": [{"open": "T0900", "close": "09+01"}]}, ["hours.sun.0.open", "hours.sun.0.close"]),
        ({"sun": [{"open": "\ud80009:0", "close": "09:0\0"}]}, ["hours.sun.0.open", "hours.sun.0.close"]),
        ({"sun": [{"open": "٠٩:٠٠", "close": 900}]}, ["hours.sun.0.open", "hours.sun.0.close"]),
        ({"sun": [{"open": ["0", "9", ":", "0", "0"], "close": "09:00:00"}]}, ["hours.sun.0.open", "hours.sun.0.close"]),
        ({"tue": hours("09:00-12:00", "11:59-14:00")}, ["hours.tue"]),
        ({"tue": hours("09:00-12:00", "09:00-12:00")}, ["hours.tue"]),
        ({"tue": hours("00:00-00:00", "09:00-12:00")}, ["hours.tue"]),
        ({"tue": hours("20:00-02:00", "23:00-23:30")}, ["hours.tue"]),
    ],
)
def test_weeks_that_are_refused(value: Any, paths: list[str]) -> None:
    with pytest.raises(Invalid) as refusal:
        read_week(value)
    assert sorted(refusal.value.errors) == sorted(paths)


def test_hours_that_touch_are_not_an_overlap() -> None:
    week = read_week({"tue": hours("12:00-14:00", "09:00-12:00", "22:00-03:00"), "wed": hours("01:00-02:00")})
    assert week
    assert week["tue"] == hours("09:00-12:00", "12:00-14:00", "22:00-03:00")


@pytest.mark.both_databases
def test_special_days_are_read_in_order() -> None:
    found = read_special_days([{"date": "2026-12-25"}, {"date": date(2026, 12, 24), "hours": hours("09:00-12:00")}])
    assert found == [{"date": "2026-12-24", "hours": hours("09:00-12:00")}, {"date": "2026-12-25", "hours": []}]
    assert read_special_days(None) == read_special_days("") == read_special_days([]) == []


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({"date": "2026-12-24"}, ["special_hours"]),
        ("2026-12-24", ["special_hours"]),
        (5, ["special_hours"]),
        ([{"date": f"2026-{1 + place // 28:02}-{1 + place % 28:02}"} for place in range(61)], ["special_hours"]),
        ([None], ["special_hours.0.date"]),
        ([{}], ["special_hours.0.date"]),
        ([{"date": "2026-02-30"}, {"date": 20261224}], ["special_hours.0.date", "special_hours.1.date"]),
        ([{"date": "20261224"}, {"date": "2026-W52-4"}], ["special_hours.0.date", "special_hours.1.date"]),
        ([{"date": "2026-12-2\ud800"}, {"date": "2026-12-24\0"}], ["special_hours.0.date", "special_hours.1.date"]),
        ([{"date": "2026-12-24"}, {"date": "2026-12-24"}], ["special_hours.1.date"]),
        ([{"date": "2026-12-24", "hours": [{"open": "x", "close": "10:00"}]}], ["special_hours.0.hours.0.open"]),
        ([{"date": "2026-12-24", "hours": hours("09:00-12:00", "10:00-11:00")}], ["special_hours.0.hours"]),
    ],
)
def test_special_days_that_are_refused(value: Any, paths: list[str]) -> None:
    with pytest.raises(Invalid) as refusal:
        read_special_days(value)
    assert list(refusal.value.errors) == paths


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["09:00", "mon", "2026-12-24"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*DAYS, "open", "close", "date", "hours"]) | st.text(max_size=3), inner, max_size=3)
    ),
)


@given(values)
def test_whatever_is_sent_is_read_or_refused(value: Any) -> None:
    for read in (read_week, read_special_days):
        try:
            found: Any = read(value)
        except Invalid:
            continue
        assert read(found) == found


# When it is open.


@pytest.mark.parametrize(
    ("week", "now", "expected"),
    [
        # 2 March 2026 is a Monday.
        ({"mon": hours("09:00-17:00")}, "2026-03-02 08:59", ("Mon 02 09:00", "Mon 02 17:00")),
        ({"mon": hours("09:00-17:00")}, "2026-03-02 16:59", ("Mon 02 09:00", "Mon 02 17:00")),
        ({"mon": hours("09:00-17:00")}, "2026-03-02 17:00", ("Mon 09 09:00", "Mon 09 17:00")),
        ({"mon": hours("09:00-12:00", "13:00-17:00")}, "2026-03-02 12:00", ("Mon 02 13:00", "Mon 02 17:00")),
        ({"mon": hours("20:00-02:00")}, "2026-03-03 01:59", ("Mon 02 20:00", "Tue 03 02:00")),
        ({"mon": hours("20:00-02:00")}, "2026-03-03 02:00", ("Mon 09 20:00", "Tue 10 02:00")),
        ({"mon": hours("00:00-00:00")}, "2026-03-02 00:00", ("Mon 02 00:00", "Tue 03 00:00")),
        ({"mon": hours("09:00-09:00")}, "2026-03-03 08:59", ("Mon 02 09:00", "Tue 03 09:00")),
        # Until midnight, and from midnight on.
        ({"mon": hours("20:00-00:00"), "tue": hours("00:00-03:00")}, "2026-03-02 12:00", ("Mon 02 20:00", "Tue 03 03:00")),
        ({"mon": hours("20:00-04:00"), "tue": hours("03:00-05:00")}, "2026-03-03 04:30", ("Mon 02 20:00", "Tue 03 05:00")),
    ],
)
def test_the_current_or_the_next_opening(week: Any, now: str, expected: tuple[str, str]) -> None:
    assert opening(week, at(now)) == expected


def test_around_the_clock_it_closes_at_the_horizon() -> None:
    always = schedule(read_week({day: hours("00:00-00:00") for day in DAYS}), [], PARIS)
    now = at("2026-06-02 12:00")
    found = next_opening(always, now)
    assert found
    assert found[0] <= now.timestamp()
    assert found[1] >= (now + HORIZON).timestamp()


def test_special_days_replace_those_of_the_week() -> None:
    week, tuesday = {"mon": hours("09:00-17:00"), "tue": hours("09:00-17:00")}, "2026-03-03"
    assert opening(week, at("2026-03-02 18:00"), [{"date": tuesday}]) == ("Mon 09 09:00", "Mon 09 17:00")
    short = [{"date": tuesday, "hours": hours("10:00-11:00")}]
    assert opening(week, at("2026-03-02 18:00"), short) == ("Tue 03 10:00", "Tue 03 11:00")
    # Hours that began on the day before go on.
    assert opening({"mon": hours("20:00-02:00")}, at("2026-03-03 01:00"), [{"date": tuesday}]) == ("Mon 02 20:00", "Tue 03 02:00")
    assert opening(None, at("2026-03-02 18:00"), short) == ("Tue 03 10:00", "Tue 03 11:00")


def test_weeks_without_hours() -> None:
    assert opening(None, at("2026-03-02 18:00")) is None
    assert opening(None, at("2026-03-02 18:00"), [{"date": "2026-03-01", "hours": hours("10:00-11:00")}]) is None
    assert opening(None, at("2026-03-02 18:00"), [{"date": "2026-07-01", "hours": hours("10:00-11:00")}]) is None


def test_on_days_of_clock_changes() -> None:
    # At two it is three on 29 March, and at three it is two again on 25 October.
    assert opening({"sun": hours("02:00-05:00")}, at("2026-03-29 00:00")) == ("Sun 29 03:00", "Sun 29 05:00")
    assert opening({"sun": hours("02:15-02:45")}, at("2026-03-28 00:00")) == ("Sun 05 02:15", "Sun 05 02:45")
    night = schedule(read_week({"sat": hours("22:00-02:30")}), [], PARIS)
    found = next_opening(night, at("2026-10-24 12:00"))
    assert found
    assert found[1] - found[0] == 4.5 * 3600


def test_days_that_last_24_hours() -> None:
    assert [is_all_day(each) for each in hours("00:00-00:00", "09:00-09:00", "09:00-08:59")] == [True, True, False]


@st.composite
def days(draw: Any) -> list[dict[str, str]]:
    """Hours of a day: none, around the clock, or a few that do not overlap, of which the last may end on the next day."""
    kind = draw(st.sampled_from(["closed", "all day", "some", "some", "night"]))
    if kind == "closed":
        return []
    clock = st.integers(0, 24 * 4 - 1).map(lambda quarter: f"{quarter // 4:02}:{quarter % 4 * 15:02}")
    if kind == "all day":
        opens = draw(clock)
        return [{"open": opens, "close": opens}]
    marks = sorted(draw(st.sets(clock, min_size=4, max_size=4)))
    if kind == "night":
        marks = [*marks[1:], marks[0]]
    return [{"open": opens, "close": closes} for opens, closes in zip(marks[::2], marks[1::2], strict=True)]


weeks = st.fixed_dictionaries({day: days() for day in DAYS})
specials = st.dictionaries(st.integers(-2, 2), days(), max_size=2)


@pytest.mark.parametrize(("zone", "middle"), CASES)
@settings(max_examples=figure(8, 100))
@given(weeks, specials, st.lists(st.integers(0, 3 * 24 * 60 - 1), min_size=1, max_size=10))
# In New York the first minute is at seven in the evening, two days before: hours of the day before that still last.
@example({day: hours("19:15-19:15") for day in DAYS}, {-2: []}, [0, 14, 15, 16])
def test_as_minute_by_minute(zone: ZoneInfo, middle: date, week: Any, special: dict[int, Any], minutes: list[int]) -> None:
    dates = [{"date": middle + timedelta(days=place), "hours": each} for place, each in special.items()]
    stored = schedule(read_week(week), read_special_days(dates), zone)
    # Early enough for the hours of the day before the first minute.
    first = middle - timedelta(days=3)
    is_open = open_minutes(stored, first, 7)
    begin, zero = base(first), base(middle)
    for minute in minutes:
        now = zero + minute * MINUTE
        place = round((now - begin) / MINUTE)
        found = next_opening(stored, now)
        here = round(now.timestamp())
        assert (found is not None and found[0] <= here < found[1]) is is_open[place], now
        change = next((each for each in range(place, len(is_open)) if is_open[each] is not is_open[place]), None)
        # Later minutes of the table lack the hours of later days.
        if change is not None and change < 6 * 24 * 60:
            assert found
            assert found[1 if is_open[place] else 0] == here + (change - place) * 60


# The columns.

#: Listings by their hours: with breaks, at night, around the clock, on special days only, and never open.
STORED: list[dict[str, Any]] = [
    {"hours": {day: hours("09:00-12:00", "13:00-18:00") for day in DAYS}, "timezone": "Europe/Paris"},
    {"hours": {"fri": hours("20:00-04:00"), "sat": hours("20:00-04:00")}, "timezone": "America/New_York"},
    {"hours": {day: hours("00:00-00:00") for day in DAYS}, "timezone": "Australia/Lord_Howe"},
    {"hours": {day: hours("00:00-00:00") for day in DAYS}, "special_hours": [{"date": "2026-03-25"}], "timezone": "UTC"},
    {"special_hours": [{"date": "2026-03-29", "hours": hours("01:00-04:00")}], "timezone": "Europe/Paris"},
    {"special_hours": [{"date": "2026-04-03", "hours": hours("10:00-14:00")}], "timezone": "Asia/Kathmandu"},
    {"hours": {"wed": hours("08:00-08:00")}, "special_hours": [{"date": "2026-03-25"}], "timezone": "America/Santiago"},
    {"timezone": "Europe/Paris"},
]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_columns_say_when_it_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over six days with a clock change, of which the job misses a night."""
    first, zero = date(2026, 3, 24), datetime(2026, 3, 25, 7, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: zero)
    made = [make_listing(**values) for values in STORED]
    tables = [open_minutes(each.schedule, first, 9) for each in made]
    changes, before = 0, set()
    for hour in range(6 * 24):
        now = zero + timedelta(hours=hour, minutes=hour % 2 * 5)
        if now.hour in {1, 2, 3} and now.day == 26:
            continue
        monkeypatch.setattr(timezone, "now", lambda now=now: now)
        move_openings()
        place = round((now - base(first)) / MINUTE)
        expected = {listing.pk for listing, table in zip(made, tables, strict=True) if table[place]}
        assert set(ListingFilter(is_open=True).queryset().values_list("pk", flat=True)) == expected, now
        changes, before = changes + (expected != before), expected
    assert changes > 20


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_job_moves_what_has_ended_only(clock: Callable[[str], None]) -> None:
    clock("2026-03-02 12:00")
    make_listing(hours=DAILY, timezone="UTC")
    make_listing("Without hours")
    assert move_openings() == 0
    clock("2026-03-02 16:55")
    assert move_openings() == 0
    clock("2026-03-02 17:00")
    assert (move_openings(), move_openings()) == (1, 0)
    listing = Listing.objects.get(hours__isnull=False)
    assert (listing.opens_at, listing.closes_at) == (
        at("2026-03-03 09:00", ZoneInfo("UTC")),
        at("2026-03-03 17:00", ZoneInfo("UTC")),
    )


@pytest.mark.django_db
def test_around_the_clock_it_never_closes(clock: Callable[[str], None]) -> None:
    """The job extends the opening before it ends."""
    clock("2026-03-02 12:00")
    listing = make_listing(hours={day: hours("00:00-00:00") for day in DAYS}, timezone="UTC")
    assert listing.closes_at
    end = listing.closes_at
    clock(f"{end - timedelta(minutes=9):%Y-%m-%d %H:%M}")
    assert move_openings() == 1
    extended = reloaded(listing).closes_at
    assert extended
    assert extended > end + timedelta(days=10)


@pytest.mark.django_db
@pytest.mark.both_databases
def test_saving_sets_the_columns(clock: Callable[[str], None]) -> None:
    clock("2026-03-02 12:00")
    listing = make_listing(hours=DAILY, timezone="UTC")
    assert listing.opens_at == at("2026-03-02 09:00", ZoneInfo("UTC"))
    assert not set_opening(listing)
    moved = save_listing(listing=listing, values={"timezone": "America/New_York"})
    assert moved.opens_at == at("2026-03-02 14:00", ZoneInfo("UTC"))
    assert save_listing(listing=listing, values={"hours": None}).opens_at is None
