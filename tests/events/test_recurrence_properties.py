"""Properties of the dates of random rules; no value in a request can do harm."""

import datetime as dt
import json
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cms_api.core.errors import Invalid
from cms_api.fields.datetimes import settle, to_utc
from events.types.recurrence import MAX_OCCURRENCES, Occurrence, is_open_ended, occurrences
from tests.fields.ask import clean, serialize
from tests.figures import figure

from . import oracle
from .rules import ZONES, Value

CALM = settings(
    derandomize=True,
    database=None,
    deadline=10_000,
    max_examples=figure(12, 100),
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=False,
)
HORIZON = dt.date(2030, 1, 1)
DAYS = st.dates(dt.date(1900, 1, 1), dt.date(2150, 1, 1))


@st.composite
def sent_rules(draw: st.DrawFn, first: dt.date) -> Value:
    frequency = draw(st.sampled_from(["daily", "weekly", "monthly", "yearly"]))
    rule: Value = {"frequency": frequency, "interval": draw(st.one_of(st.integers(1, 5), st.integers(1, 999)))}
    if frequency == "weekly":
        rule["weekdays"] = draw(st.lists(st.sampled_from(oracle.DAYS), max_size=7))
    if frequency == "monthly":
        rule["monthly"] = draw(st.sampled_from(["day", "weekday"]))
    end = draw(st.sampled_from(["count", "until", None]))
    if end == "count":
        rule["count"] = draw(st.one_of(st.integers(1, 30), st.just(MAX_OCCURRENCES)))
    if end == "until":
        rule["until"] = (first + dt.timedelta(days=draw(st.integers(0, 2000)))).isoformat()
    return rule


@st.composite
def stored_values(draw: st.DrawFn) -> Value:
    """Values as the field stores them, from what somebody might send."""
    first = draw(DAYS)
    sent: Value = {"tz": draw(st.sampled_from(list(ZONES))), "repeat": draw(sent_rules(first))}
    length = draw(st.one_of(st.none(), st.integers(0, 5)))
    if draw(st.booleans()):
        sent |= {"all_day": True, "start": first.isoformat()}
        sent["end"] = (first + dt.timedelta(days=length)).isoformat() if length is not None else None
        return clean("datetime", sent)
    clock = draw(st.one_of(st.times(), st.sampled_from([dt.time(2, 30), dt.time(0), dt.time(1, 45), dt.time(23, 59)])))
    start = dt.datetime.combine(first, clock.replace(microsecond=0))
    sent["start"] = start.isoformat()
    if length is not None:
        # Two hours more than what any clock skips but Samoa's, so that the end is never refused.
        sent["end"] = (start + dt.timedelta(days=length, hours=26)).isoformat()
    return clean("datetime", sent)


def dates(value: Value) -> list[Occurrence]:
    return occurrences(value, horizon=HORIZON)


def day_of(when: dt.date) -> dt.date:
    return when.date() if isinstance(when, dt.datetime) else when


@CALM
@given(stored_values())
def test_the_first_is_its_own_start_and_each_is_later_than_the_one_before(value: Value) -> None:
    found = dates(value)
    assert found[0].start.isoformat() == serialize("datetime", value)["start"]
    starts = [each.start for each in found]
    assert all(former < latter for former, latter in pairwise(starts))
    if not value["all_day"]:
        zone = ZoneInfo(value["tz"])
        instants = [to_utc(start, zone) for start in starts if isinstance(start, dt.datetime)]
        assert all(former < latter for former, latter in pairwise(instants))


@CALM
@given(stored_values())
def test_each_stands_on_a_day_of_the_rule_at_its_time(value: Value) -> None:
    rule, first = value["repeat"], dt.date.fromisoformat(value["start"][:10])
    for each in dates(value)[1:]:
        if each.is_moved:
            assert isinstance(each.start, dt.datetime)
            planned = [
                dt.datetime.fromisoformat(f"{day_of(each.start) - dt.timedelta(days=days)}T{value['start'][11:]}")
                for days in (0, 1)
            ]
            assert each.start in [settle(wall, ZoneInfo(value["tz"])) for wall in planned]
            continue
        assert oracle.is_meant(day_of(each.start), rule, first)
        assert value["all_day"] or each.start.isoformat()[11:] == value["start"][11:]


@CALM
@given(stored_values())
def test_count_until_and_horizon_are_kept_to(value: Value) -> None:
    rule, found = value["repeat"], dates(value)
    assert 1 <= len(found) <= MAX_OCCURRENCES
    if rule["count"]:
        assert len(found) == rule["count"] or day_of(found[-1].start).year + rule["interval"] * 8 > 9999
    last = rule["until"] or (HORIZON.isoformat() if is_open_ended(value) else "9999-12-31")
    assert all(day_of(each.start).isoformat() <= last or each.is_moved for each in found[1:])


@CALM
@given(stored_values())
def test_no_end_is_before_its_start_and_whole_days_keep_their_length(value: Value) -> None:
    for each in dates(value):
        assert (each.end is None) == (value["end"] is None)
        if each.end is None:
            continue
        if isinstance(each.start, dt.datetime) and isinstance(each.end, dt.datetime):
            zone = ZoneInfo(value["tz"])
            assert to_utc(each.end, zone) >= to_utc(each.start, zone)
        else:
            assert each.end - each.start == dt.date.fromisoformat(value["end"]) - dt.date.fromisoformat(value["start"])


@CALM
@given(stored_values())
def test_asking_again_and_by_way_of_json_answers_the_same(value: Value) -> None:
    found = dates(value)
    assert dates(json.loads(json.dumps(value))) == found
    for each in (found[0], found[len(found) // 2], found[-1]):
        stored = each.value(value["tz"])
        assert clean("datetime", json.loads(json.dumps(stored))) == stored
        assert [again.value(value["tz"]) for again in dates(stored)] == [stored]


@CALM
@given(stored_values())
def test_what_is_shown_can_be_sent_back(value: Value) -> None:
    shown = serialize("datetime", value)
    sent = {key: shown[key] for key in ("start", "end", "all_day", "tz", "repeat")}
    assert serialize("datetime", clean("datetime", sent)) == shown


@CALM
@given(stored_values(), st.integers(0, 2000))
def test_a_farther_horizon_only_adds(value: Value, days: int) -> None:
    nearer = dates(value)
    farther = occurrences(value, horizon=HORIZON + dt.timedelta(days=days))
    assert farther[: len(nearer)] == nearer
    assert is_open_ended(value) or len(farther) == len(nearer)


SCRAPS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=12),
        st.sampled_from(
            ["daily", "weekly", "yearly", "9999-12-31", "0001-01-01", "0000-00-00", "1e999", "\x00", "\ud800", "9" * 5000]
        ),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)
STARTS = st.one_of(
    st.datetimes(allow_imaginary=True).map(lambda moment: moment.isoformat(timespec="minutes")),
    st.dates().map(str),
    st.sampled_from(
        ["9999-12-31T23:59", "0001-01-01T00:00", "9999-12-31", "0001-01-01", "9999-12-31T23:59+14:00", "0001-01-01T00:00Z"]
    ),
)
HOSTILE = st.fixed_dictionaries(
    {"start": st.one_of(STARTS, SCRAPS)},
    optional={
        "end": st.one_of(STARTS, SCRAPS),
        "all_day": st.one_of(st.booleans(), SCRAPS),
        "tz": st.one_of(st.sampled_from([*ZONES, "../../etc/passwd", "UTC"]), SCRAPS),
        "repeat": st.one_of(
            SCRAPS,
            st.fixed_dictionaries(
                {"frequency": st.one_of(st.sampled_from(["daily", "weekly", "monthly", "yearly"]), SCRAPS)},
                optional={
                    "interval": st.one_of(st.integers(-1, 1000), SCRAPS),
                    "until": st.one_of(st.dates().map(str), SCRAPS),
                    "count": st.one_of(st.integers(-1, 1001), SCRAPS),
                    "weekdays": st.one_of(st.lists(st.sampled_from(oracle.DAYS)), SCRAPS),
                    "monthly": st.one_of(st.sampled_from(["day", "weekday"]), SCRAPS),
                },
            ),
        ),
    },
)


@settings(CALM, max_examples=figure(50, 400))
@given(HOSTILE)
def test_whatever_is_sent_is_refused_or_has_dates(sent: Value) -> None:
    try:
        stored = clean("datetime", sent)
    except Invalid:
        return
    _stand(stored)


@CALM
@given(
    st.sampled_from(["9999-12-01", "9999-12-31", "9996-02-29", "9001-01-31", "0001-01-01", "0004-02-29", "0001-01-07"]),
    st.sampled_from(["", "T00:00", "T12:00", "T23:59:59"]),
    st.sampled_from([*ZONES, "Etc/GMT+12", "Etc/GMT-14"]),
    sent_rules(dt.date(9000, 1, 1)),
)
def test_the_first_and_the_last_years(day: str, clock: str, zone: str, rule: Value) -> None:
    sent = {"start": day + clock, "end": day + clock, "all_day": not clock, "tz": zone, "repeat": rule}
    try:
        stored = clean("datetime", sent)
    except Invalid:
        return
    _stand(stored)


def _stand(stored: Value) -> None:
    """It can be shown, stored and laid out."""
    json.dumps(serialize("datetime", stored), allow_nan=False)
    found = dates(stored)
    assert 1 <= len(found) <= MAX_OCCURRENCES
    assert found[0].start.isoformat() == serialize("datetime", stored)["start"]


@pytest.mark.parametrize(
    "rule",
    [
        {"frequency": "yearly", "interval": 999},
        {"frequency": "monthly", "interval": 999, "monthly": "weekday"},
        {"frequency": "monthly", "interval": 12},
        {"frequency": "daily", "interval": 999},
        {"frequency": "weekly", "interval": 999, "weekdays": list(oracle.DAYS)},
    ],
)
@pytest.mark.parametrize("start", ["2024-02-29", "2023-01-31", "0001-01-31"])
def test_rules_that_rarely_meet_a_day_end(start: str, rule: Value) -> None:
    for more in ({"count": 1000}, {"until": "9999-12-31"}, {}):
        _stand(clean("datetime", {"start": start, "all_day": True, "repeat": rule | more}))
