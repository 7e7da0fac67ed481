import pytest

from .ask import clean, refusal


def test_it_works() -> None:
    assert clean("date", " 2024-02-29 ") == "2024-02-29"
    assert clean("date", "0001-01-01") == "0001-01-01"
    assert clean("time", "23:59") == "23:59"


@pytest.mark.parametrize(
    "value",
    [
        "2024-2-3",
        "2023-02-29",
        "0000-01-01",
        "20240203",
        "2024-W05-6",
        "10000-01-01",
        "2024-01-01T00:00",
        "today",
        "२०२४-०१-०१",
        20240101,
        [],
        {},
    ],
)
def test_no_date(value: object) -> None:
    assert refusal("date", value) == {"": ["The my field field must be a valid date, as in 2026-03-01."]}


@pytest.mark.parametrize("value", ["24:00", "9:00", "09:60", "09:00:00", "0900", "9am", "09:00Z", 900, [], {}])
def test_no_time(value: object) -> None:
    assert refusal("time", value) == {"": ["The my field field must be a valid time, as in 18:30."]}
