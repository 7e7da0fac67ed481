"""When a date is, as calendars write it: pure rules on stored datetime values, which may stem from a field of another type."""

import datetime as dt
from collections.abc import Mapping
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from cms_api.fields.datetimes import zone_named

from .recurrence import occurrences

#: Zones whose times are written as UTC itself.
_UTC = frozenset({"UTC", "UCT", "Universal", "Zulu", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu"})


class Times(NamedTuple):
    """Local wall-clock times without tzinfo, or whole days, of which the end is the day after the last."""

    start: dt.date
    end: dt.date | None
    #: The IANA name of the zone; empty for UTC and for whole days.
    zone: str
    cancelled: bool

    @property
    def is_day(self) -> bool:
        return not isinstance(self.start, dt.datetime)

    @property
    def zone_and_years(self) -> tuple[str, int, int]:
        """The zone that a calendar has to describe, and the years for which it has to."""
        return self.zone, self.start.year, (self.end or self.start).year


def times_of(value: Any, site: ZoneInfo) -> Times | None:
    """The first date of a stored value, in the zone of the site where its own is unknown; None where it has no usable start."""
    if not isinstance(value, dict):
        return None
    cancelled = bool(value.get("cancelled"))
    try:
        if value.get("repeat"):
            # The first start is stored as the rule has it, even where clocks skip that time on its day.
            first = occurrences({**value, "repeat": None}, horizon=dt.date.min)[0]
            value = first.value(value["tz"])
        if value.get("all_day"):
            return Times(*_days(value), "", cancelled)
        zone = (zone_named(value["tz"]) or site).key
        return Times(*_clock(value), "" if zone in _UTC else zone, cancelled)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None


def _days(value: Mapping[str, Any]) -> tuple[dt.date, dt.date | None]:
    first = dt.date.fromisoformat(value["start"])
    last = max(first, dt.date.fromisoformat(value.get("end") or value["start"]))
    # The calendar has no day after its last.
    return first, None if last == dt.date.max else last + dt.timedelta(days=1)


def _clock(value: Mapping[str, Any]) -> tuple[dt.datetime, dt.datetime | None]:
    """In whole seconds. Raises ValueError for times with an offset: local ones have none."""
    start = dt.datetime.fromisoformat(value["start"]).replace(microsecond=0)
    end = dt.datetime.fromisoformat(value["end"]).replace(microsecond=0) if value.get("end") else None
    if start.tzinfo or (end and end.tzinfo):
        raise ValueError(value)
    return start, end if end and end > start else None
