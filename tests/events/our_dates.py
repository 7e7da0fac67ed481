"""Writes the table of values with the dates that we find, for `second_opinion.py`: `python -m tests.events.our_dates FILE`."""

import datetime as dt
import json
import sys
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from cms_api.fields.datetimes import settle, to_utc
from events.types.recurrence import Occurrence, occurrences, place_in_month

from .rules import Value, all_values, horizon


def main() -> None:
    entries = [entry(each) for of_zone in all_values().values() for each in of_zone]
    Path(sys.argv[1]).write_text(json.dumps(entries))


def entry(value: Value) -> dict[str, Any]:
    first = dt.date.fromisoformat(value["start"][:10])
    found = occurrences(value, horizon=horizon(value))
    return {
        "value": value,
        "place": place_in_month(first),
        "horizon": horizon(value).isoformat(),
        "until": _until(value) if value["repeat"]["until"] else None,
        "dates": [[_said(each.start, value["tz"]), _said(each.end or each.start, value["tz"])] for each in found],
        "squeezed": any(_is_squeezed(each, value) for each in found),
    }


def _said(when: dt.date, zone: str) -> str:
    """An instant, or a day."""
    return to_utc(when, ZoneInfo(zone)).isoformat() if isinstance(when, dt.datetime) else when.isoformat()


def _until(value: Value) -> str:
    """The last second of the last day, in UTC, as RFC 5545 wants it for zoned times."""
    last = dt.date.fromisoformat(value["repeat"]["until"])
    if value["all_day"]:
        return f"{last:%Y%m%d}"
    return f"{to_utc(dt.datetime.combine(last, dt.time(23, 59, 59)), ZoneInfo(value['tz'])):%Y%m%dT%H%M%SZ}"


def _is_squeezed(each: Occurrence, value: Value) -> bool:
    """Whether the clocks skipped its start but not its end, so that the end had to move with it."""
    if not (each.is_moved and isinstance(each.start, dt.datetime) and isinstance(each.end, dt.datetime)):
        return False
    start, end = (dt.datetime.fromisoformat(value[key]) for key in ("start", "end"))
    planned = dt.datetime.combine(each.start.date() + (end.date() - start.date()), end.time())
    return settle(planned, ZoneInfo(value["tz"])) != each.end


if __name__ == "__main__":
    main()
