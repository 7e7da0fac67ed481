from typing import Any

import pytest

from .ask import clean, refusal


def repeat(start: str = "2026-03-04T10:00", **rule: Any) -> dict[str, Any]:
    return {"start": start, "repeat": {"frequency": "weekly"} | rule}


def test_it_works() -> None:
    assert clean("datetime", repeat(interval="2", weekdays=["wed", "mon", "wed"], until="2026-05-01"))["repeat"] == {
        "frequency": "weekly",
        "interval": 2,
        "until": "2026-05-01",
        "count": None,
        "weekdays": ["mon", "wed"],
        "monthly": None,
    }


def test_defaults() -> None:
    rule = clean("datetime", repeat(frequency="monthly", weekdays=[], monthly="", until=None, count=""))["repeat"]
    assert (rule["interval"], rule["monthly"], rule["weekdays"], rule["until"], rule["count"]) == (1, "day", [], None, None)
    assert clean("datetime", repeat(frequency="yearly"))["repeat"]["monthly"] is None
    assert clean("datetime", {"start": "2026-03-04T10:00", "repeat": None})["repeat"] is None


@pytest.mark.parametrize("value", [5, True, "daily", [], ["daily"]])
def test_it_is_an_object(value: object) -> None:
    assert refusal("datetime", {"start": "2026-03-04T10:00", "repeat": value}) == {
        "repeat": ["The repeat field must be an object."]
    }


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ({"frequency": None}, "frequency"),
        ({"frequency": "hourly"}, "frequency"),
        ({"frequency": ["daily"]}, "frequency"),
        ({"interval": 0}, "interval"),
        ({"interval": 1000}, "interval"),
        ({"interval": -1}, "interval"),
        ({"interval": 1.5}, "interval"),
        ({"interval": True}, "interval"),
        ({"interval": "many"}, "interval"),
        ({"count": 0}, "count"),
        ({"count": 1001}, "count"),
        ({"count": 10**9}, "count"),
        ({"count": []}, "count"),
        ({"until": "2026-03-03"}, "until"),
        ({"until": "2026-02-30"}, "until"),
        ({"until": "2026-05-01T00:00"}, "until"),
        ({"until": 5}, "until"),
        ({"weekdays": ["monday"]}, "weekdays"),
        ({"weekdays": "mon"}, "weekdays"),
        ({"weekdays": [None]}, "weekdays"),
        ({"weekdays": [["mon"]]}, "weekdays"),
        ({"weekdays": ["mon"] * 101}, "weekdays"),
        ({"frequency": "daily", "weekdays": ["mon"]}, "weekdays"),
        ({"frequency": "monthly", "weekdays": ["mon"]}, "weekdays"),
        ({"monthly": "day"}, "monthly"),
        ({"frequency": "yearly", "monthly": "weekday"}, "monthly"),
        ({"frequency": "monthly", "monthly": "week"}, "monthly"),
        ({"frequency": "monthly", "monthly": {}}, "monthly"),
    ],
)
def test_refusals(rule: dict[str, Any], path: str) -> None:
    assert list(refusal("datetime", repeat(**rule))) == [f"repeat.{path}"]


def test_until_and_count_exclude_each_other() -> None:
    assert set(refusal("datetime", repeat(until="2026-05-01", count=3))) == {"repeat.until", "repeat.count"}


def test_until_may_be_the_first_day() -> None:
    assert clean("datetime", repeat(until="2026-03-04"))["repeat"]["until"] == "2026-03-04"
    # In Berlin the instant is on the 5th already.
    assert refusal("datetime", repeat("2026-03-04T23:30Z", until="2026-03-04"))
