"""Calendar times of dates: pure rules on stored datetime values, which may come from a replaced field of another type."""

import datetime as dt
from collections.abc import Mapping
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from cms_api.core.time_zones import zone_named
from cms_api.fields.datetimes import read_stored, to_utc

from .recurrence import occurrences

#: Zones whose times are written as UTC.
_UTC = frozenset({"UTC", "UCT", "Universal", "Zulu", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu"})


class Times(NamedTuple):
    """Naive local times, or whole days with an exclusive end."""

    start: dt.date
    end: dt.date | None
    #: The IANA name of the zone; empty for UTC and whole days.
    zone: str
    cancelled: bool

    @property
    def is_day(self) -> bool:
        return not isinstance(self.start, dt.datetime)

    @property
    def zone_and_years(self) -> tuple[str, int, int]:
        """Return the zone that a calendar must describe, and the first and last year to describe it for."""
        return self.zone, self.start.year, (self.end or self.start).year


def times_of(value: Any, site: ZoneInfo) -> Times | None:
    """Return the first date of a stored value, in the site's zone if its own is unknown; None without a usable start."""
    if not isinstance(value, dict):
        return None
    cancelled = bool(value.get("cancelled"))
    try:
        if value.get("repeat"):
            # The first start is stored as in the rule, even if clocks skip that time on its day.
            first = occurrences({**value, "repeat": None}, horizon=dt.date.min)[0]
            value = first.value(value["tz"])
        if value.get("all_day"):
            return Times(*_days(value), "", cancelled)
        zone = zone_named(value["tz"]) or site
        start, end = _clock(value, zone)
        if start.fold or (end and end.fold):
            # A local time that occurs twice is the first one in calendars (RFC 5545, 3.3.5).
            closing = to_utc(end, zone).replace(tzinfo=None) if end else None
            return Times(to_utc(start, zone).replace(tzinfo=None), closing, "", cancelled)
        return Times(start, end, "" if zone.key in _UTC else zone.key, cancelled)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return None


def _days(value: Mapping[str, Any]) -> tuple[dt.date, dt.date | None]:
    first = dt.date.fromisoformat(value["start"])
    last = max(first, dt.date.fromisoformat(value.get("end") or value["start"]))
    # There is no date after the calendar's last day.
    return first, None if last == dt.date.max else last + dt.timedelta(days=1)


def _clock(value: Mapping[str, Any], zone: ZoneInfo) -> tuple[dt.datetime, dt.datetime | None]:
    """Return start and end in whole seconds. Raises ValueError for times with an offset: stored ones are local."""
    start = read_stored(value, "start").replace(microsecond=0)
    end = read_stored(value, "end").replace(microsecond=0) if value.get("end") else None
    if start.tzinfo or (end and end.tzinfo):
        raise ValueError(value)
    return start, end if end and to_utc(end, zone) > to_utc(start, zone) else None
