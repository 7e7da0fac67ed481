from typing import Any

import pytest

from .ask import SURROGATE, clean, refusal, search_text

ADDRESS_KEYS = ("street", "street2", "city", "state", "postal_code", "country", "latitude", "longitude")


def opening(*times: str) -> dict[str, list[dict[str, str]]]:
    return {"mon": [{"open": time.split("-")[0], "close": time.split("-")[1]} for time in times]}


def test_it_works() -> None:
    address = clean(
        "address", {"street": " Main St 1 ", "city": "Bonn", "state": "", "latitude": 50.7, "longitude": "7.1", "planet": "Earth"}
    )
    assert address == dict.fromkeys(ADDRESS_KEYS) | {"street": "Main St 1", "city": "Bonn", "latitude": 50.7, "longitude": 7.1}
    assert search_text("address", address) == "Main St 1 Bonn"
    hours = clean("hours", opening("13:00-17:00", "09:00-12:00") | {"tue": None, "feast": 1})
    assert hours["mon"] == [{"open": "09:00", "close": "12:00"}, {"open": "13:00", "close": "17:00"}]
    assert [hours[day] for day in ("tue", "wed", "thu", "fri", "sat", "sun")] == [[]] * 6


def test_an_address_without_anything_is_null() -> None:
    assert clean("address", {}) is clean("address", {"street": "", "latitude": None}) is None


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ({"street": 5}, "The street field must be a string."),
        ({"postal_code": 12345}, "The postal code field must be a string."),
        ({"city": "a\nb"}, "The city field must be a single line."),
        ({"city": SURROGATE}, "The city field contains characters that are not allowed."),
        ({"country": "x" * 256}, "The country field must not be greater than 255 characters."),
        ({"latitude": 90.1}, "The latitude field must be between -90 and 90."),
        ({"longitude": -181}, "The longitude field must be between -180 and 180."),
        ({"latitude": "north"}, "The latitude field must be a number."),
    ],
)
def test_bad_addresses(part: dict[str, Any], sentence: str) -> None:
    assert refusal("address", {"street": "x"} | part) == {next(iter(part)): [sentence]}


@pytest.mark.parametrize("kind", ["address", "hours"])
@pytest.mark.parametrize("value", [5, "x", ["x"], [], True])
def test_they_are_objects(kind: str, value: object) -> None:
    assert refusal(kind, value) == {"": ["The my field field must be an object."]}


def test_a_range_may_run_past_midnight() -> None:
    assert clean("hours", opening("18:00-02:00"))["mon"] == [{"open": "18:00", "close": "02:00"}]
    assert clean("hours", opening("09:00-12:00", "12:00-17:00"))["mon"]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"mon": "09:00-17:00"}, "mon"),
        ({"mon": {"open": "09:00", "close": "17:00"}}, "mon"),
        ({"mon": ["09:00"]}, "mon.0"),
        ({"mon": [{"open": "09:00"}]}, "mon.0.close"),
        (opening("09:00-24:00"), "mon.0.close"),
        (opening("9:00-17:00"), "mon.0.open"),
        (opening("09:00-09:00"), "mon.0.close"),
        (opening("09:00-12:00", "11:59-17:00"), "mon"),
        (opening("18:00-02:00", "20:00-21:00"), "mon"),
        (opening(*["09:00-10:00"] * 25), "mon"),
    ],
)
def test_bad_hours(value: dict[str, Any], path: str) -> None:
    assert list(refusal("hours", value)) == [path]
