"""Opening hours as people type them, such as `09:00-12:00, 13:00-18:00`. No database access.

Reading only divides the text; `types.hours` checks the values, by paths that lead back to the line.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any

from .hours import Hours

#: Words for a day without hours, and for one with all of them.
CLOSED = frozenset({"", "closed", "-"})
ALL_DAY = frozenset({"24h", "24 h", "24 hours", "24/7", "open 24 hours"})
_DASHES = re.compile(r"\s*(?:[-\u2012-\u2015]|\bto\b)\s*", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm|a\.m\.|p\.m\.)?", re.IGNORECASE | re.ASCII)
_DAY = re.compile(r"\s*([^:\s]*)\s*:?(.*)", re.DOTALL)
_WHOLE_DAY = {"open": "00:00", "close": "00:00"}
NOON = 12


def read_periods(text: str) -> list[dict[str, str]]:
    """Return the periods of a day as they are stored; times that cannot be read are left as they are."""
    words = " ".join(text.split()).casefold()
    if words in CLOSED:
        return []
    if words in ALL_DAY:
        return [dict(_WHOLE_DAY)]
    parts = [_DASHES.split(part.strip(), maxsplit=1) for part in re.split("[,;]", words) if part.strip()]
    return [{"open": _clock(part[0]), "close": _clock(part[1] if len(part) > 1 else "")} for part in parts]


def _clock(text: str) -> str:
    """Return a time on a 24-hour clock: `9`, `9.30`, `5pm` and `24:00` are understood too."""
    found = _CLOCK.fullmatch(text.strip())
    if not found:
        return text.strip()
    hour, minute, half = int(found[1]), found[2] or "00", (found[3] or "").replace(".", "")
    if half and 1 <= hour <= NOON:
        hour = hour % NOON + (NOON if half == "pm" else 0)
    elif half:
        return text.strip()
    return "00:00" if (hour, minute) == (24, "00") else f"{hour:02}:{minute}"


def periods_text(hours: Hours) -> str:
    """Return the periods of a day as they are typed."""
    if list(hours) == [_WHOLE_DAY]:
        return "24h"
    return ", ".join(f"{each['open']}-{each['close']}" for each in hours)


def read_days(text: str, read_day: Callable[[str], date] = date.fromisoformat) -> list[dict[str, Any]]:
    """Return the special days of some lines, such as `2026-12-24: 09:00-12:00`; a date alone is a closed day.

    Dates that `read_day` cannot read are left as they are.
    """
    found = []
    for line in text.splitlines():
        if line.strip():
            day, hours = _DAY.fullmatch(line).groups()  # type: ignore[union-attr]
            with suppress(ValueError):
                day = read_day(day).isoformat()
            found.append({"date": day, "hours": read_periods(hours)})
    return found


def days_text(days: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(f"{each['date']}: {periods_text(each['hours']) or 'closed'}" for each in days)
