"""Dates and times as text, as in the site's country and time zone."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.utils.dates import WEEKDAYS

from cms_api.core.time_zones import zone_named
from cms_api.fields import FIELD_TYPES, Context, Field
from cms_api.fields.places import DAYS
from cms_api.flags.selectors import site_formats, site_timezone

_UNITS = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_ORDINALS = ("first", "second", "third", "fourth", "last")


@dataclass(frozen=True)
class Moment:
    """The contents of a `<time>` element: the machine-readable value and the text."""

    iso: str
    text: str


@dataclass(frozen=True)
class When:
    start: Moment
    end: Moment | None
    #: The name of the time zone, if it is not the site's.
    zone: str
    repeat: str
    is_cancelled: bool


def when(stored: Any) -> When | None:
    """Return a stored datetime value for display: an instant, hours of a day, several days, or whole days.

    None if there is no value, or if it was stored when the field had another type.
    """
    try:
        return _when(stored) if stored else None
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _when(stored: dict[str, Any]) -> When | None:
    site = site_timezone()
    shown = FIELD_TYPES["datetime"].serialize(Field("when", "When", "datetime"), stored, Context(timezone=site))
    if not shown:
        return None
    repeat = repeat_text(shown["repeat"], dt.date.fromisoformat(shown["start"][:10])) if shown["repeat"] else ""
    cancelled = bool(shown.get("cancelled"))
    if shown["all_day"]:
        first = dt.date.fromisoformat(shown["start"])
        last = dt.date.fromisoformat(shown["end"] or shown["start"])
        return When(_day(first), _day(last) if last > first else None, "", repeat, cancelled)
    zone = zone_named(shown["tz"]) or site
    start = dt.datetime.fromisoformat(shown["start_utc"]).astimezone(zone)
    end = dt.datetime.fromisoformat(shown["end_utc"]).astimezone(zone) if shown["end"] else None
    closing = None
    if end and shown["end_utc"] != shown["start_utc"]:
        text = _time(end) if end.date() == start.date() else f"{_day(end).text}, {_time(end)}"
        closing = Moment(end.isoformat(timespec="minutes"), text)
    opening = Moment(start.isoformat(timespec="minutes"), f"{_day(start).text}, {_time(start)}")
    return When(opening, closing, "" if zone.key == site.key else _zone_name(start), repeat, cancelled)


def repeat_text(rule: dict[str, Any], start: dt.date) -> str:
    """Return a repeat rule as a sentence: "Every 2 weeks on Monday and Friday, until June 3, 2026"."""
    unit, interval = _UNITS[rule["frequency"]], rule["interval"]
    text = f"Every {unit}" if interval == 1 else f"Every {interval} {unit}s"
    if rule["weekdays"]:
        names = [str(WEEKDAYS[DAYS.index(day)]) for day in rule["weekdays"]]
        text += " on " + (" and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0])
    elif rule["monthly"] == "weekday":
        text += f" on the {_ordinal(start)} {WEEKDAYS[start.weekday()]}"
    if rule["count"]:
        text += f", {rule['count']} times" if rule["count"] > 1 else ", once"
    if rule["until"]:
        text += f", until {site_formats().date(dt.date.fromisoformat(rule['until']))}"
    return text


def _ordinal(day: dt.date) -> str:
    """Return which of its weekdays in the month a day is; one in the last seven days of the month is the last."""
    is_last = (day + dt.timedelta(days=7)).month != day.month if day < dt.date.max - dt.timedelta(days=7) else True
    return _ORDINALS[-1] if is_last else _ORDINALS[(day.day - 1) // 7]


def _day(day: dt.date) -> Moment:
    return Moment(day.isoformat()[:10], site_formats().weekday_date(day))


def _time(moment: dt.datetime) -> str:
    return site_formats().time(moment)


def _zone_name(moment: dt.datetime) -> str:
    """Return the zone's abbreviation and name, as in "CET, Europe/Paris"; the offset replaces a missing abbreviation."""
    key = getattr(moment.tzinfo, "key", "")
    name = moment.tzname() or ""
    return f"{key.replace('_', ' ')} ({name})" if name and name != key else key
