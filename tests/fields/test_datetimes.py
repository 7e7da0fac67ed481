from typing import Any

import pytest

from .ask import BERLIN, clean, refusal, serialize


def wall(start: str, **changes: Any) -> dict[str, Any]:
    return {"start": start} | changes


def test_it_works() -> None:
    stored = clean("datetime", {"start": "2026-03-01T19:30", "end": "2026-03-01 21:00:15", "colour": "red"})
    assert stored == {
        "start": "2026-03-01T19:30:00",
        "end": "2026-03-01T21:00:15",
        "all_day": False,
        "tz": "Europe/Berlin",
        "repeat": None,
    }
    assert serialize("datetime", stored) == stored | {
        "start_utc": "2026-03-01T18:30:00+00:00",
        "end_utc": "2026-03-01T20:00:15+00:00",
    }


def test_whole_days() -> None:
    stored = clean("datetime", {"start": "2026-03-01", "end": "2026-03-01", "all_day": "true", "tz": "America/New_York"})
    assert (stored["start"], stored["end"], stored["all_day"]) == ("2026-03-01", "2026-03-01", True)
    shown = serialize("datetime", stored)
    assert shown["start_utc"] is shown["end_utc"] is None


@pytest.mark.parametrize(
    ("sent", "tz", "start"),
    [
        ("2026-03-01T18:30:00Z", None, "2026-03-01T19:30:00"),
        ("2026-03-01T18:30:00.123Z", "", "2026-03-01T19:30:00"),
        ("2026-03-01t18:30z", "Asia/Tokyo", "2026-03-02T03:30:00"),
        ("2026-03-01T18:30-0500", "America/New_York", "2026-03-01T18:30:00"),
        ("2026-03-01T18:30+05:45", "UTC", "2026-03-01T12:45:00"),
        ("2026-03-01T18:30+01", None, "2026-03-01T18:30:00"),
    ],
)
def test_offsets_are_converted(sent: str, tz: str | None, start: str) -> None:
    assert clean("datetime", wall(sent, tz=tz))["start"] == start


def test_a_skipped_time_moves_forward_by_the_gap() -> None:
    stored = clean("datetime", wall("2026-03-29T02:30"))
    assert stored["start"] == "2026-03-29T03:30:00"
    assert serialize("datetime", stored)["start_utc"] == "2026-03-29T01:30:00+00:00"


def test_a_skipped_time_that_repeats_keeps_the_time_of_its_rule() -> None:
    stored = clean("datetime", wall("2026-03-29T02:30", repeat={"frequency": "daily", "count": 3}))
    assert stored["start"] == "2026-03-29T02:30:00"
    shown = serialize("datetime", stored)
    assert (shown["start"], shown["start_utc"]) == ("2026-03-29T03:30:00", "2026-03-29T01:30:00+00:00")


def test_an_ambiguous_time_is_the_first() -> None:
    stored = clean("datetime", wall("2026-10-25T02:30"))
    assert serialize("datetime", stored)["start_utc"] == "2026-10-25T00:30:00+00:00"


@pytest.mark.parametrize(
    ("sent", "hour"),
    [
        ("2026-10-25T00:30Z", 0),
        ("2026-10-25T01:30Z", 1),
        ("2026-10-25T02:30+02:00", 0),
        ("2026-10-25T02:30+01:00", 1),
        ("2026-10-24T20:30-05:00", 1),
        ("2026-10-25T02:30", 0),
    ],
)
@pytest.mark.parametrize("repeat", [None, {"frequency": "daily", "count": 2}])
def test_an_offset_says_which_of_two_hours(sent: str, hour: int, repeat: Any) -> None:
    stored = clean("datetime", wall(sent, end="2026-10-25T03:30+01:00", repeat=repeat))
    shown = serialize("datetime", stored)
    assert (shown["start"], shown["start_utc"]) == ("2026-10-25T02:30:00", f"2026-10-25T0{hour}:30:00+00:00")
    # Answered and stored values can be sent again.
    assert clean("datetime", shown) == clean("datetime", stored) == stored


def test_an_hour_from_the_first_to_the_second() -> None:
    stored = clean("datetime", wall("2026-10-25T02:30+02:00", end="2026-10-25T02:30+01:00"))
    shown = serialize("datetime", stored)
    assert (shown["start_utc"], shown["end_utc"]) == ("2026-10-25T00:30:00+00:00", "2026-10-25T01:30:00+00:00")
    assert "end" in str(refusal("datetime", wall("2026-10-25T02:30+01:00", end="2026-10-25T02:30+02:00")))


def test_an_offset_says_which_of_two_hours_whatever_was_answered_before() -> None:
    """A client sends an answer back with another start."""
    answer = serialize("datetime", clean("datetime", wall("2026-10-25T02:30+01:00")))
    assert answer["start_utc"] == "2026-10-25T01:30:00+00:00"
    stored = clean("datetime", answer | {"start": "2026-10-25T02:30+02:00"})
    assert serialize("datetime", stored)["start_utc"] == "2026-10-25T00:30:00+00:00"


@pytest.mark.parametrize("other", ["2026-10-25T00:30:00+00:00", "2026-10-25T05:00:00+00:00", "x", 5, None, [], "\0"])
def test_another_instant_beside_a_local_time_says_nothing(other: Any) -> None:
    stored = clean("datetime", wall("2026-10-25T02:30", start_utc=other, start_fold=other))
    assert serialize("datetime", stored)["start_utc"] == "2026-10-25T00:30:00+00:00"


def test_end_before_start() -> None:
    refused = {"end": ["The end field must be a date after or equal to start."]}
    assert refusal("datetime", wall("2026-03-01T10:00", end="2026-03-01T09:59")) == refused
    assert refusal("datetime", wall("2026-03-02", end="2026-03-01", all_day=True)) == refused
    assert refusal("datetime", wall("2026-03-29T02:30", end="2026-03-29T03:00")) == refused
    assert clean("datetime", wall("2026-03-01T10:00", end="2026-03-01T09:00Z"))["end"] == "2026-03-01T10:00:00"


@pytest.mark.parametrize(
    "tz",
    [
        "Nowhere/City",
        "europe/berlin",
        "../../etc/passwd",
        "/etc/passwd",
        "Europe",
        "Europe/",
        "a\0b",
        "\ud800",
        "x" * 5000,
        "localtime",
        "Factory",
        "+01:00",
        5,
        [],
        {},
        True,
    ],
)
def test_unknown_timezones(tz: object) -> None:
    assert refusal("datetime", wall("2026-03-01T10:00", tz=tz)) == {"tz": ["The selected tz is invalid."]}


@pytest.mark.parametrize(
    "start",
    [
        "2026-03-01",
        "2026-02-30T10:00",
        "2026-03-01T24:00",
        "2026-03-01T10",
        "2026-03-01T10:00:60",
        "2026-3-1T10:00",
        "20260301T1000",
        "0000-01-01T00:00",
        "0001-01-01T00:00",
        "0001-01-01T00:00+14:00",
        "9999-12-31T23:59-14:00",
        "2026-03-01T10:00+24:00",
        "2026-03-01T10:00+99:99",
        "2026-03-01T10:00 Europe/Berlin",
        "now",
        "\ud800",
        5,
        True,
        [],
        {},
    ],
)
def test_bad_starts(start: object) -> None:
    assert refusal("datetime", {"start": start}) == {
        "start": ["The start field must be a valid date and time, as in 2026-03-01T18:30."]
    }


def test_the_ends_of_time_stay_within_the_calendar() -> None:
    refusal("datetime", wall("9999-12-31T23:59", tz="America/New_York"))
    assert clean("datetime", wall("9999-12-31T23:59"))["start"] == "9999-12-31T23:59:00"
    assert clean("datetime", wall("0001-01-01T00:00", tz="UTC"))["start"] == "0001-01-01T00:00:00"


def test_a_whole_day_takes_no_time() -> None:
    assert refusal("datetime", wall("2026-03-01T10:00", all_day=True)) == {
        "start": ["The start field must be a valid date, as in 2026-03-01."]
    }


@pytest.mark.parametrize("value", ["2026-03-01T10:00", 5, True, ["2026-03-01"]])
def test_it_is_an_object(value: object) -> None:
    assert refusal("datetime", value) == {"": ["The my field field must be an object."]}


def test_every_error_at_once() -> None:
    value = {"start": "", "end": "soon", "all_day": "maybe", "tz": "Mars", "repeat": {"frequency": "hourly", "interval": 0}}
    assert set(refusal("datetime", value)) == {"start", "end", "all_day", "tz", "repeat.frequency", "repeat.interval"}


def test_cancelled_is_shown_and_never_taken() -> None:
    stored = clean("datetime", wall("2026-03-01T10:00", cancelled=True))
    assert "cancelled" not in stored
    assert serialize("datetime", stored | {"cancelled": True})["cancelled"] is True


def test_showing_what_another_type_left_behind() -> None:
    assert serialize("datetime", None) is serialize("datetime", "2026") is serialize("datetime", {}) is None
    assert (
        serialize("datetime", {"start": "2026-03-01T10:00:00", "tz": "Gone/Zone"}, BERLIN)["start_utc"]
        == "2026-03-01T09:00:00+00:00"
    )
