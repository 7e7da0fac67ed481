"""Opening hours as owners type them, and as they read them again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commerce.directory.types.hours import read_special_days, read_week
from commerce.directory.types.typed_hours import days_text, periods_text, read_days, read_periods


def pairs(text: str) -> list[tuple[str, str]]:
    return [(each["open"], each["close"]) for each in read_periods(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        (" closed ", []),
        ("09:00-12:00, 13:00-18:00", [("09:00", "12:00"), ("13:00", "18:00")]),
        ("9-12;13.30 – 18", [("09:00", "12:00"), ("13:30", "18:00")]),
        ("9am to 5:30 PM", [("09:00", "17:30")]),
        ("12am-12pm", [("00:00", "12:00")]),
        ("18:00-24:00", [("18:00", "00:00")]),
        ("20:00-02:00", [("20:00", "02:00")]),
        ("24h", [("00:00", "00:00")]),
        ("00:00-00:00", [("00:00", "00:00")]),
        ("Open 24 hours", [("00:00", "00:00")]),
    ],
)
def test_what_is_typed(text: str, found: list[tuple[str, str]]) -> None:
    assert pairs(text) == found
    read_week({"mon": read_periods(text)})


@pytest.mark.parametrize(
    "text", ["nine to five", "9", "9-", "25:00-26:00", "13pm-14pm", "09:60-10:00", "9-10-11", "\u0669-\u0661"]
)
def test_what_cannot_be_read_is_left_to_the_service(text: str) -> None:
    with pytest.raises(Exception, match="valid time"):
        read_week({"mon": read_periods(text)})


CLOCKS = st.builds(lambda hour, minute: f"{hour:02}:{minute:02}", st.integers(0, 23), st.integers(0, 59))
PERIODS = st.lists(st.fixed_dictionaries({"open": CLOCKS, "close": CLOCKS}), max_size=6)


@given(PERIODS)
def test_hours_read_back_as_they_were(hours: list[dict[str, str]]) -> None:
    assert read_periods(periods_text(hours)) == hours


@given(st.text(max_size=40))
def test_no_text_breaks_the_reading(text: str) -> None:
    read_days(text)
    for each in read_periods(text):
        assert each.keys() == {"open", "close"}


def test_special_days() -> None:
    days = read_days("2026-12-24: 09:00-12:00\n\n2026-12-25\r\n 2026-12-26 : 24h \n2026-12-31 closed")
    assert read_special_days(days) == [
        {"date": "2026-12-24", "hours": [{"open": "09:00", "close": "12:00"}]},
        {"date": "2026-12-25", "hours": []},
        {"date": "2026-12-26", "hours": [{"open": "00:00", "close": "00:00"}]},
        {"date": "2026-12-31", "hours": []},
    ]
    assert read_days(days_text(days)) == days
