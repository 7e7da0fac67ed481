"""The table of repeating values that the oracle and the second opinion go through, generated and always the same."""

import datetime as dt
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

from .oracle import changes

#: Each zone with years in which its clocks change, or did: by an hour, by half of one, by a quarter, at midnight, by a whole day.
ZONES = {
    "Europe/Paris": (2026,),
    "America/New_York": (2026,),
    "Australia/Lord_Howe": (2026,),
    "Asia/Kathmandu": (1986,),
    "Pacific/Chatham": (2026,),
    "Asia/Kolkata": (1941,),
    "America/St_Johns": (2010, 2026),
    "Pacific/Apia": (2011,),
    "Africa/Casablanca": (2024,),
    "Africa/Cairo": (2026,),
    "Europe/Dublin": (2026,),
    "Antarctica/Troll": (2026,),
}
HORIZON_DAYS = 730

Value = dict[str, Any]


def repeat(frequency: str, interval: int = 1, **more: Any) -> Value:
    rule = {"frequency": frequency, "interval": interval, "until": None, "count": None, "weekdays": [], "monthly": None}
    if frequency == "monthly":
        rule["monthly"] = "day"
    return {**rule, **more}


def value(start: str, end: str | None = None, *, tz: str = "Europe/Paris", rule: Value | None = None) -> Value:
    """As the field stores it."""
    return {"start": start, "end": end, "all_day": "T" not in start, "tz": tz, "repeat": rule}


def clock_rules(first: dt.date) -> list[Value]:
    """Rules that meet the same night again, or one soon after it."""
    return [
        repeat("daily", count=6),
        repeat("daily", 2, until=(first + dt.timedelta(days=45)).isoformat()),
        repeat("weekly", count=5),
        repeat("weekly", 2, weekdays=["fri", "sat", "sun"], until=(first + dt.timedelta(days=60)).isoformat()),
        repeat("monthly", count=8),
        repeat("monthly", monthly="weekday", count=14),
        repeat("yearly", count=3),
    ]


def clock_values(zone: str, years: tuple[int, ...]) -> Iterator[Value]:
    """Around each night on which clocks change: at the time that is skipped or shown twice, into it, and across it."""
    for change in (change for year in years for change in changes(ZoneInfo(zone), year)):
        inside = change.inside
        spans = (
            (inside, None),
            (inside, inside + dt.timedelta(minutes=10)),
            (inside - dt.timedelta(hours=5), inside),
            (inside - dt.timedelta(hours=6), inside + dt.timedelta(hours=5)),
            (inside - dt.timedelta(days=1, hours=3), inside + dt.timedelta(days=2)),
        )
        for earlier in (0, 1, 14, 28):
            for start, end in spans:
                begin = start - dt.timedelta(days=earlier)
                ends = (end - dt.timedelta(days=earlier)).isoformat() if end else None
                for rule in clock_rules(begin.date()):
                    yield value(begin.isoformat(), ends, tz=zone, rule=rule)


#: The 29th to 31st, 29 February, weekdays that are the fourth and the last, the fourth but not the last, the fifth, the first.
ANCHORS = (
    *("2026-01-29", "2026-01-30", "2026-01-31", "2024-02-29", "2024-02-28", "2026-02-28", "2026-02-22"),
    *("2026-01-28", "2026-04-27", "2026-12-31", "2027-01-01", "2026-06-01", "2026-03-29", "2026-10-25", "2000-02-29"),
)
INTERVALS = (1, 2, 3, 5, 12)
WEEKDAYS = ([], ["mon"], ["sun"], ["tue", "thu"], ["mon", "wed", "sun"], ["sat", "sun"])


def calendar_rules(first: dt.date) -> Iterator[Value]:
    """Frequencies by intervals by what narrows them, each with an end by count, by date and without one."""
    until = (first + dt.timedelta(days=500)).isoformat()
    for interval in INTERVALS:
        kinds = [
            repeat("daily", interval),
            repeat("yearly", interval),
            repeat("monthly", interval),
            repeat("monthly", interval, monthly="weekday"),
            *(repeat("weekly", interval, weekdays=days) for days in WEEKDAYS),
        ]
        for kind in kinds:
            yield {**kind, "count": 11}
            yield {**kind, "until": until}
            yield kind


def calendar_values() -> Iterator[tuple[str, Value]]:
    """Every anchor with every rule; the zones take turns, and so do moments, spans, whole days and spans of days."""
    turn = 0
    for anchor in ANCHORS:
        first = dt.date.fromisoformat(anchor)
        for rule in calendar_rules(first):
            zone = list(ZONES)[turn % len(ZONES)]
            following, third = (first + dt.timedelta(days=days) for days in (1, 2))
            spans: tuple[tuple[str, str | None], ...] = (
                (f"{anchor}T18:30:00", None),
                (f"{anchor}T09:00:00", f"{anchor}T17:45:00"),
                (f"{anchor}T22:00:00", f"{following}T02:30:00"),
                (anchor, None),
                (anchor, third.isoformat()),
            )
            start, end = spans[turn % len(spans)]
            turn += 1
            yield zone, value(start, end, tz=zone, rule=rule)


def all_values() -> dict[str, list[Value]]:
    """By zone."""
    found: dict[str, list[Value]] = {zone: list(clock_values(zone, years)) for zone, years in ZONES.items()}
    for zone, each in calendar_values():
        found[zone].append(each)
    return found


def horizon(each: Value) -> dt.date:
    """As far as a rule without end goes, seen from its start."""
    return dt.date.fromisoformat(each["start"][:10]) + dt.timedelta(days=HORIZON_DAYS)
