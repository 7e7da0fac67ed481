"""Opening hours of listings, as they are stored and sent, and when a listing is open next. No database access.

A week is `{"mon": [{"open": "09:00", "close": "17:00"}], ..., "sun": []}` on a 24-hour clock. Hours that do not close after they
open close on the next day, so "00:00" to "00:00" is 24 hours. Special hours are `[{"date": "2026-12-24", "hours": [...]}]`.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from cms_api.core.errors import ErrorCollector, Invalid
from cms_api.fields.places import DAYS
from commerce.common.types.hours import Period, Schedule, working_spans
from commerce.common.types.spans import Span, merge_spans

MAX_PERIODS = 6
MAX_SPECIAL_DAYS = 60
#: How far ahead the next opening is looked for; hours without an end are cut there, and extended before that.
HORIZON = timedelta(days=15)

_CLOCK, _DATE = re.compile("[0-9]{2}:[0-9]{2}"), re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")

Hours = Sequence[Mapping[str, str]]
Week = dict[str, list[dict[str, str]]]


def read_week(value: Any, path: str = "hours") -> Week | None:
    """Return a week with every day, sorted; None if it has no hours. Raises Invalid by path: `hours.mon.0.open`."""
    if value in (None, "", {}):
        return None
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise Invalid({path: "The hours must be an object with the hours of each day."})
    errors = ErrorCollector()
    week: Week = {}
    for unknown in sorted(set(value) - set(DAYS)):
        errors.add(f"{path}.{ascii(unknown[:20])[1:-1]}", "The days are mon, tue, wed, thu, fri, sat and sun.")
    for day in DAYS:
        with errors.under():
            week[day] = _read_day(value.get(day), f"{path}.{day}")
    errors.raise_if_any()
    return week if any(week.values()) else None


def read_special_days(value: Any, path: str = "special_hours") -> list[dict[str, Any]]:
    """Return the hours of single dates in order; none of a date means that it is closed. Raises Invalid by path."""
    if value in (None, ""):
        return []
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > MAX_SPECIAL_DAYS:
        raise Invalid({path: f"Special hours are a list of at most {MAX_SPECIAL_DAYS} days."})
    errors = ErrorCollector()
    found: dict[str, list[dict[str, str]]] = {}
    for place, entry in enumerate(value):
        with errors.under():
            day = _read_date(entry.get("date") if isinstance(entry, Mapping) else None, f"{path}.{place}.date")
            if day in found:
                raise Invalid({f"{path}.{place}.date": "This day is there twice."})
            found[day] = _read_day(entry.get("hours"), f"{path}.{place}.hours")
    errors.raise_if_any()
    return [{"date": day, "hours": found[day]} for day in sorted(found)]


def _read_date(value: Any, path: str) -> str:
    try:
        return (value if isinstance(value, date) else date.fromisoformat(_match(_DATE, value))).isoformat()
    except (TypeError, ValueError):
        raise Invalid({path: "The date must be a valid date, as in 2026-12-24."}) from None


def _read_day(value: Any, path: str) -> list[dict[str, str]]:
    if value in (None, ""):
        return []
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) > MAX_PERIODS:
        raise Invalid({path: f"The hours of a day are a list of at most {MAX_PERIODS} periods."})
    errors = ErrorCollector()
    periods = []
    for place, entry in enumerate(value):
        clocks = {}
        for key in ("open", "close"):
            with errors.under():
                clocks[key] = _read_clock(entry.get(key) if isinstance(entry, Mapping) else None, f"{path}.{place}.{key}")
        periods.append(clocks)
    errors.raise_if_any()
    periods.sort(key=_minutes)
    for earlier, later in pairwise(periods):
        if _minutes(earlier)[1] > _minutes(later)[0]:
            raise Invalid({path: "The hours of a day may not overlap."})
    return periods


def _read_clock(value: Any, path: str) -> str:
    try:
        clock = value if isinstance(value, time) else time.fromisoformat(_match(_CLOCK, value))
    except (TypeError, ValueError):
        raise Invalid({path: "The time must be a valid time, as in 09:00."}) from None
    return clock.isoformat("minutes")


def _match(form: re.Pattern[str], value: str) -> str:
    """Return a text in one form only, of the many that `fromisoformat` reads. Raises TypeError and ValueError."""
    if not form.fullmatch(value):
        raise ValueError
    return value


def _minutes(hours: Mapping[str, str]) -> tuple[int, int]:
    opens, closes = (int(hours[key][:2]) * 60 + int(hours[key][3:]) for key in ("open", "close"))
    return opens, closes if closes > opens else closes + 24 * 60


def is_all_day(hours: Mapping[str, str]) -> bool:
    """Return whether a period is 24 hours long."""
    return hours["open"] == hours["close"]


def schedule(week: Week | None, special: Sequence[Mapping[str, Any]], zone: ZoneInfo) -> Schedule:
    """Return the stored hours as a schedule."""
    weekly = {place: _periods((week or {}).get(day, ())) for place, day in enumerate(DAYS)}
    dates = {date.fromisoformat(each["date"]): _periods(each["hours"]) for each in special}
    return Schedule(zone, weekly, dates)


def _periods(hours: Hours) -> list[Period]:
    return [Period(time.fromisoformat(each["open"]), time.fromisoformat(each["close"])) for each in hours]


def next_opening(hours: Schedule, now: datetime) -> Span | None:
    """Return the span, in unix seconds, during which a listing is open, or else the next one; None if there is none soon.

    Spans that touch or overlap are one: a listing that is open around the clock closes at the horizon.
    """
    today = now.astimezone(hours.zone).date()
    # Hours of yesterday may end today.
    spans = merge_spans(working_spans(hours, today - timedelta(days=1), today + HORIZON))
    return next((span for span in spans if span[1] > now.timestamp()), None)
