"""The dates of a rule: what each sentence about them means, and thousands of values beside an oracle that counts days."""

import datetime as dt
from typing import Any

import pytest

from cms_api.content.services import projections
from cms_api.core.errors import Invalid
from cms_api.core.time_zones import zone_named
from events.types.recurrence import MAX_OCCURRENCES, is_open_ended, occurrences, place_in_month
from tests.fields.ask import clean, serialize
from tests.figures import figure

from . import oracle
from .rules import ZONES, Value, all_values, horizon, repeat, value

FAR = dt.date(2100, 1, 1)


def found(each: Value, ahead: dt.date = FAR) -> list[oracle.Date]:
    """Ours, as they are stored and as the instants by which lists find them."""
    site = zone_named("Europe/Paris")
    assert site is not None
    dates = []
    for occurrence in occurrences(each, horizon=ahead):
        stored = occurrence.value(each["tz"])
        instants = (None, None) if stored["all_day"] else projections.span(stored, site)
        dates.append(oracle.Date(stored["start"], stored["end"], *instants))
    return dates


def starts(start: str, end: str | None = None, *, tz: str = "Europe/Paris", ahead: dt.date = FAR, **rule: Any) -> list[str]:
    each = value(start, end, tz=tz, rule=repeat(**rule))
    return [date.start for date in found(each, ahead)]


def test_it_works() -> None:
    assert starts("2026-03-22T18:30:00", frequency="weekly", count=3) == [
        "2026-03-22T18:30:00",
        "2026-03-29T18:30:00",
        "2026-04-05T18:30:00",
    ]


#: One of so many values of the table is looked at: 9 shares no factor with the numbers of its columns.
ONE_OF = figure(9, 1)


@pytest.mark.parametrize("zone", ZONES)
def test_every_value_has_the_dates_that_the_oracle_finds(zone: str) -> None:
    values = all_values()[zone][::ONE_OF]
    assert len(values) * ONE_OF > 200
    different = [each for each in values if found(each, horizon(each)) != oracle.dates(each, horizon(each))]
    assert different == []


def test_the_oracle_is_asked_about_all_kinds_of_rules() -> None:
    values = [each for of_zone in all_values().values() for each in of_zone[::ONE_OF]]
    rules = [each["repeat"] for each in values]
    assert len(values) * ONE_OF > 5000
    assert {rule["frequency"] for rule in rules} == {"daily", "weekly", "monthly", "yearly"}
    assert {(bool(rule["until"]), bool(rule["count"])) for rule in rules} == {(True, False), (False, True), (False, False)}
    assert {each["all_day"] for each in values} == {True, False}
    moved = [
        each for each in values if not each["all_day"] and len({d.start[11:] for d in oracle.dates(each, horizon(each))}) > 1
    ]
    assert len(moved) * ONE_OF > 400


@pytest.mark.parametrize("start", ["2026-01-01T10:00:00", "2026-01-01"])
def test_a_date_that_does_not_repeat_is_one(start: str) -> None:
    assert [date.start for date in found(value(start))] == [start]


def test_weeks_start_on_monday() -> None:
    """Sunday the 4th ends its week; every second week the next is that of Monday the 12th."""
    days = starts("2026-01-04", frequency="weekly", interval=2, weekdays=["mon", "sun"], count=5)
    assert days == ["2026-01-04", "2026-01-12", "2026-01-18", "2026-01-26", "2026-02-01"]


def test_weekdays_left_out_are_that_of_the_start() -> None:
    assert starts("2026-01-07", frequency="weekly", count=2) == ["2026-01-07", "2026-01-14"]


def test_its_own_start_is_first_and_counts_where_its_weekday_is_not_among_the_rules() -> None:
    days = starts("2026-01-07", frequency="weekly", weekdays=["tue"], count=3)
    assert days == ["2026-01-07", "2026-01-13", "2026-01-20"]
    capped = starts("2026-01-07", frequency="weekly", weekdays=["tue"], until="2100-01-01")
    assert (capped[0], len(capped)) == ("2026-01-07", MAX_OCCURRENCES)


def test_until_is_inclusive_and_a_local_date() -> None:
    """Ten in the evening in New York is the next day in UTC."""
    days = starts("2026-01-01T22:00:00", tz="America/New_York", frequency="daily", until="2026-01-03")
    assert days == ["2026-01-01T22:00:00", "2026-01-02T22:00:00", "2026-01-03T22:00:00"]
    assert starts("2026-01-01", frequency="daily", until="2026-01-01") == ["2026-01-01"]


@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_count_is_that_of_all_dates(count: int) -> None:
    assert len(starts("2026-01-01T10:00:00", frequency="daily", count=count)) == count


@pytest.mark.parametrize("rule", [{"until": "2050-01-01"}, {}])
def test_at_most_a_thousand_and_the_earliest(rule: dict[str, Any]) -> None:
    days = starts("2026-01-01", frequency="daily", **rule)
    assert MAX_OCCURRENCES == 1000
    assert (len(days), days[-1]) == (1000, "2028-09-26")


def test_months_without_the_day_are_skipped() -> None:
    assert starts("2026-01-31", frequency="monthly", count=4) == ["2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31"]
    assert starts("2026-01-30", frequency="monthly", count=3) == ["2026-01-30", "2026-03-30", "2026-04-30"]
    assert starts("2027-12-29", frequency="monthly", interval=2, count=3) == ["2027-12-29", "2028-02-29", "2028-04-29"]


def test_years_without_29_february_are_skipped() -> None:
    assert starts("2024-02-29", frequency="yearly", count=3) == ["2024-02-29", "2028-02-29", "2032-02-29"]
    assert starts("2096-02-29", frequency="yearly", count=2) == ["2096-02-29", "2104-02-29"]
    assert starts("2024-02-29", frequency="yearly", interval=3, count=2) == ["2024-02-29", "2036-02-29"]


def test_the_nth_weekday_of_the_month() -> None:
    assert starts("2026-01-13", frequency="monthly", monthly="weekday", count=3) == ["2026-01-13", "2026-02-10", "2026-03-10"]
    fourth_of_five = starts("2026-01-22", frequency="monthly", monthly="weekday", count=5)
    assert fourth_of_five == ["2026-01-22", "2026-02-26", "2026-03-26", "2026-04-23", "2026-05-28"]


@pytest.mark.parametrize(
    ("anchor", "following"),
    [
        ("2026-01-29", ["2026-02-26", "2026-03-26", "2026-04-30"]),
        ("2026-02-28", ["2026-03-28", "2026-04-25", "2026-05-30"]),
    ],
    ids=["the fifth", "the fourth"],
)
def test_an_anchor_on_the_last_weekday_of_its_month_means_the_last_of_every_month(anchor: str, following: list[str]) -> None:
    assert starts(anchor, frequency="monthly", monthly="weekday", count=4) == [anchor, *following]
    assert place_in_month(dt.date.fromisoformat(anchor)) == -1


def test_a_start_in_a_gap_moves_on_that_date_only() -> None:
    clock = [start[11:] for start in starts("2026-03-28T02:30:00", frequency="daily", count=3)]
    assert clock == ["02:30:00", "03:30:00", "02:30:00"]
    first = [start[11:] for start in starts("2026-03-29T02:30:00", frequency="daily", count=3)]
    assert first == ["03:30:00", "02:30:00", "02:30:00"]


def test_a_gap_of_half_an_hour() -> None:
    clock = [s[11:] for s in starts("2026-10-03T02:10:00", tz="Australia/Lord_Howe", frequency="daily", count=3)]
    assert clock == ["02:10:00", "02:40:00", "02:10:00"]


def test_an_ambiguous_time_is_the_first() -> None:
    each = value("2026-10-24T02:30:00", tz="Europe/Paris", rule=repeat("daily", count=3))
    assert [f"{date.starts_at:%d %H:%M}" for date in found(each)] == ["24 00:30", "25 00:30", "26 01:30"]


def test_the_wall_clock_time_of_start_and_end_stays() -> None:
    each = value("2026-03-22T18:30:00", "2026-03-23T01:00:00", rule=repeat("weekly", count=2))
    first, second = found(each)
    assert (second.start, second.end) == ("2026-03-29T18:30:00", "2026-03-30T01:00:00")
    assert (f"{first.starts_at:%H:%M}", f"{second.starts_at:%H:%M}") == ("17:30", "16:30")


def test_an_end_across_the_night_on_which_clocks_change() -> None:
    each = value("2026-10-24T22:00:00", "2026-10-25T04:00:00", rule=repeat("daily", count=2))
    lengths = [date.ends_at - date.starts_at for date in found(each) if date.ends_at and date.starts_at]
    assert lengths == [dt.timedelta(hours=7), dt.timedelta(hours=6)]


@pytest.mark.parametrize(
    ("end", "shown"), [("02:55", "03:55"), ("03:15", "04:15"), ("03:45", "04:45"), ("06:00", "06:00"), ("02:45", "03:45")]
)
def test_a_date_whose_start_is_skipped_does_not_lose_its_length(end: str, shown: str) -> None:
    """Its end stays where it is on clocks, but for one that is not after the start any more."""
    each = value("2027-03-21T02:45:00", f"2027-03-21T{end}:00", rule=repeat("weekly", count=3))
    times = {date.start[:10]: (date.start[11:16], (date.end or "")[11:16]) for date in found(each)}
    assert times.pop("2027-03-28") == ("03:45", shown)
    assert set(times.values()) == {("02:45", end)}


def test_an_end_is_never_before_its_start() -> None:
    """02:45 moves to 03:45, and 03:15 is not skipped."""
    each = value("2026-03-28T02:45:00", "2026-03-28T03:15:00", rule=repeat("daily", count=3))
    assert [(date.start[11:16], (date.end or "")[11:16]) for date in found(each)] == [
        ("02:45", "03:15"),
        ("03:45", "04:15"),
        ("02:45", "03:15"),
    ]


def test_whole_days_keep_their_length_and_no_clock_touches_them() -> None:
    each = value("2011-12-28", "2011-12-30", tz="Pacific/Apia", rule=repeat("daily", 2, count=3))
    assert [(date.start, date.end) for date in found(each)] == [
        ("2011-12-28", "2011-12-30"),
        ("2011-12-30", "2012-01-01"),
        ("2012-01-01", "2012-01-03"),
    ]


def test_the_day_that_samoa_skipped_is_no_date_of_its_own() -> None:
    """10:00 on the 30th moves to 10:00 on the 31st, where a date of the rule stands already: one, and it counts once."""
    days = starts("2011-12-29T10:00:00", tz="Pacific/Apia", frequency="daily", count=4)
    assert days == ["2011-12-29T10:00:00", "2011-12-31T10:00:00", "2012-01-01T10:00:00", "2012-01-02T10:00:00"]
    own = starts("2011-12-30T10:00:00", tz="Pacific/Apia", frequency="daily", count=2)
    assert own == ["2011-12-31T10:00:00", "2012-01-01T10:00:00"]
    fridays = starts("2011-12-23T10:00:00", tz="Pacific/Apia", frequency="weekly", count=3)
    assert fridays == ["2011-12-23T10:00:00", "2011-12-31T10:00:00", "2012-01-06T10:00:00"]


def test_what_falls_together_keeps_the_end_of_the_date_that_was_not_moved() -> None:
    each = value("2011-12-29T22:00:00", "2011-12-30T02:00:00", tz="Pacific/Apia", rule=repeat("daily", count=2))
    assert [date.end for date in found(each)] == ["2011-12-31T02:00:00", "2012-01-01T02:00:00"]


def test_the_horizon_ends_rules_that_have_no_end() -> None:
    assert starts("2026-01-01", ahead=dt.date(2026, 1, 5), frequency="daily")[-1] == "2026-01-05"


@pytest.mark.parametrize("rule", [{"count": 20}, {"until": "2026-01-20"}])
def test_the_horizon_does_not_end_rules_that_have_one(rule: dict[str, Any]) -> None:
    assert len(starts("2026-01-01", ahead=dt.date(2026, 1, 5), frequency="daily", **rule)) == 20


def test_a_first_date_past_the_horizon_is_there() -> None:
    assert starts("2026-01-01", ahead=dt.date(2025, 1, 1), frequency="daily") == ["2026-01-01"]


@pytest.mark.parametrize(
    ("rule", "open_ended"),
    [(None, False), (repeat("daily"), True), (repeat("daily", count=3), False), (repeat("daily", until="2026-02-01"), False)],
)
def test_which_rules_have_no_end(rule: Value | None, open_ended: bool) -> None:
    assert is_open_ended(value("2026-01-01", rule=rule)) is open_ended


def test_the_calendar_ends_in_the_middle_of_a_week() -> None:
    days = starts("9999-12-24", frequency="weekly", weekdays=["fri", "sat"], count=9)
    assert days == ["9999-12-24", "9999-12-25", "9999-12-31"]


@pytest.mark.parametrize("frequency", ["daily", "weekly", "monthly", "yearly"])
@pytest.mark.parametrize("start", ["9999-12-20", "9999-12-20T23:30:00", "0001-01-01", "0001-01-03T23:30:00"])
def test_the_calendar_ends_and_nothing_breaks(frequency: str, start: str) -> None:
    sent = {"start": start, "all_day": "T" not in start, "tz": "Pacific/Apia", "repeat": {"frequency": frequency, "count": 1000}}
    try:
        stored = clean("datetime", sent)
    except Invalid:
        return
    days = found(stored)
    assert [date.start for date in days] == sorted({date.start for date in days})
    assert serialize("datetime", stored)["start"] == days[0].start
