"""Dates of events: local wall-clock times in a timezone or whole days, optionally repeating."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.core.time_zones import zone_named
from cms_api.fields.base import FieldPath, FieldType, JsonSchema, nullable, read_object, register
from cms_api.fields.clock import read_date
from cms_api.fields.numeric import read_flag
from cms_api.fields.repeat import read_repeat, repeat_schema

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field

_MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:[.,][0-9]{1,9})?)?"
    r"(?:([Zz])|([+-])([0-9]{2})(?::?([0-5][0-9]))?)?"
)
_WHEN_SCHEMA = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2})?$"
_INSTANT_SCHEMA = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+00:00$"


def to_utc(wall: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """Return the instant of a wall-clock time: after the gap if the clock skips it.

    If it occurs twice, its `fold` tells which one (PEP 495), by default the first.
    """
    return wall.replace(tzinfo=zone).astimezone(dt.UTC)


def settle(wall: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """Return the wall-clock time as clocks show it: a time skipped by a DST change moves forward by the gap."""
    return to_utc(wall, zone).astimezone(zone).replace(tzinfo=None)


def read_stored(value: Mapping[str, Any], key: str) -> dt.datetime:
    """Return the `start` or `end` of a stored value as a naive time. Raises ValueError, TypeError, KeyError."""
    return dt.datetime.fromisoformat(value[key]).replace(fold=1 if value.get(f"{key}_fold") else 0)


def folds(start: Any, end: Any) -> dict[str, int]:
    """Return the stored parts that tell the second of two hours that clocks show twice from the first; usually none."""
    return {f"{key}_fold": 1 for key, when in (("start", start), ("end", end)) if getattr(when, "fold", 0)}


def mark(value: dict[str, Any], *, cancelled: bool, skipped: bool = False) -> dict[str, Any]:
    """Return a value whose first date is cancelled, skipped or neither.

    A skipped date is cancelled too, so that whatever leaves out cancelled dates leaves it out.
    """
    kept = {key: part for key, part in value.items() if key not in {"cancelled", "skipped"}}
    return {**kept, **({"cancelled": True} if cancelled or skipped else {}), **({"skipped": True} if skipped else {})}


def keep_marks(stored: Any, value: Any) -> Any:
    """Return a new value that is cancelled or skipped if the stored one is, unless it is another date.

    A skipped date that no longer repeats would have nothing left to show, and is cancelled.
    """
    if not (isinstance(stored, dict) and isinstance(value, dict) and stored.get("cancelled")):
        return value
    is_same = all(stored.get(key) == value.get(key) for key in ("start", "start_fold", "all_day", "tz"))
    skipped = bool(stored.get("skipped") and value.get("repeat"))
    return mark(value, cancelled=True, skipped=skipped) if is_same else value


@register("datetime")
class DateTime(FieldType):
    """Stores `{start, end, all_day, tz, repeat}`, and `start_fold` or `end_fold` for the second of two equal local times.

    Which of the two is meant is told by an offset, or by the `start_utc` and `end_utc` of an earlier answer that is sent back.
    Repeating times are stored as written even if a DST change skips them on the first date, since later dates use the
    same wall-clock time; they are adjusted when shown. Times that do not repeat are adjusted before they are stored.
    """

    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> dict[str, Any]:
        sent = read_object(value, where)
        errors = ErrorCollector()
        zone, all_day, start, end = context.timezone, False, None, None
        with errors.under():
            zone = _read_zone(sent.get("tz"), where.inside("tz"), context)
        with errors.under():
            all_day = bool(read_flag(sent.get("all_day"), where.inside("all_day")))
        with errors.under():
            at = where.inside("start")
            start = _with_fold(_read_when(sent.get("start"), at, zone, all_day), sent, "start", zone)
            if start is None:
                raise Invalid({at.path: required_message(at.key)})
        with errors.under():
            at = where.inside("end")
            end = _with_fold(_read_when(sent.get("end"), at, zone, all_day), sent, "end", zone)
            if start and end and _order(end, zone) < _order(start, zone):
                raise at.refusal("must be a date after or equal to start.")
        repeat = None
        with errors.under():
            first = start.date() if isinstance(start, dt.datetime) else start
            repeat = read_repeat(sent.get("repeat"), where.inside("repeat"), first)
        errors.raise_if_any()
        if repeat is None:
            start, end = (settle(when, zone) if isinstance(when, dt.datetime) else when for when in (start, end))
        shown = {"start": _iso(start), "end": _iso(end), "all_day": all_day, "tz": zone.key, "repeat": repeat}
        return shown | folds(start, end)

    def clean_default(self, field: Field, value: Any, context: Context) -> Any:
        """Check a default but keep it as written: its timezone is the site's on the day it is used."""
        return value if self.clean(field, value, context) else None

    def serialize(self, field: Field, stored: Any, context: Context) -> dict[str, Any] | None:
        if not isinstance(stored, dict) or not stored.get("start"):
            return None
        shown = {key: stored.get(key) for key in ("start", "end", "all_day", "tz", "repeat")}
        shown |= {"start_utc": None, "end_utc": None}
        if not stored.get("all_day"):
            zone = zone_named(stored.get("tz")) or context.timezone
            for key in ("start", "end"):
                if stored.get(key):
                    wall = read_stored(stored, key)
                    shown[key] = settle(wall, zone).isoformat()
                    shown[f"{key}_utc"] = to_utc(wall, zone).isoformat()
        if "cancelled" in stored:
            shown["cancelled"] = bool(stored["cancelled"])
        return shown

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        when = {"type": "string"} if writing else {"type": "string", "pattern": _WHEN_SCHEMA}
        flag: JsonSchema = {"type": "boolean"}
        properties: JsonSchema = {
            "start": when,
            "end": nullable(when),
            "all_day": nullable(flag) if writing else flag,
            "tz": nullable({"type": "string"}) if writing else {"type": "string"},
            "repeat": repeat_schema(writing=writing),
        }
        if writing:
            return {"type": "object", "required": ["start"], "properties": properties}
        instant = nullable({"type": "string", "format": "date-time", "pattern": _INSTANT_SCHEMA})
        properties |= {"start_utc": instant, "end_utc": instant}
        return {"type": "object", "required": list(properties), "properties": properties | {"cancelled": flag}}


def is_sent_back(field: Field, sent: Any, stored: Any, context: Context) -> bool:
    """Return whether a sent value is the answer about the stored one, which then stays as it is.

    An answer shows a repeating time that clocks skip on its first day as they show it, and not as it is in the rule.
    """
    if not isinstance(sent, Mapping) or "start_utc" not in sent or not isinstance(stored, dict):
        return False
    shown = _DATETIME.serialize(field, stored, context)
    return shown is not None and all(sent.get(key) == part for key, part in shown.items() if key != "cancelled")


def _read_zone(value: Any, where: FieldPath, context: Context) -> ZoneInfo:
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "":
        return context.timezone
    if (zone := zone_named(value)) is None:
        raise Invalid({where.path: invalid_choice(where.key)})
    return zone


def _read_when(value: Any, where: FieldPath, zone: ZoneInfo, all_day: bool) -> dt.date | dt.datetime | None:
    """Return a date (all day) or a naive wall-clock time in `zone` whose instant is guaranteed to exist."""
    if all_day:
        return read_date(value, where)
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "":
        return None
    found = _MOMENT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise where.refusal("must be a valid date and time, as in 2026-03-01T18:30.")
    year, month, day, hour, minute, second, zulu, sign, hours, minutes = found.groups()
    try:
        wall = dt.datetime(int(year), int(month), int(day), int(hour), int(minute), int(second or 0))
        if zulu or sign:
            offset = dt.timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
            aware = wall.replace(tzinfo=dt.timezone(-offset if sign == "-" else offset))
            wall = aware.astimezone(zone).replace(tzinfo=None)
        settle(wall, zone)
    except (ValueError, OverflowError) as error:
        raise where.refusal("must be a valid date and time, as in 2026-03-01T18:30.") from error
    return wall


def _with_fold(when: Any, sent: Mapping[str, Any], key: str, zone: ZoneInfo) -> Any:
    """Return a time as the second of two equal ones, if it has no offset and the rest of the sent value says so."""
    if not isinstance(when, dt.datetime) or when.fold or _has_offset(sent[key]):
        return when
    second = settle(when.replace(fold=1), zone)
    if second != when or not second.fold:
        return when
    is_second = sent.get(f"{key}_fold") == 1 or _is_instant(sent.get(f"{key}_utc"), to_utc(second, zone))
    return second if is_second else when


def _has_offset(text: str) -> bool:
    found = _MOMENT.fullmatch(text.strip())
    return found is not None and bool(found[7] or found[8])


def _is_instant(value: Any, moment: dt.datetime) -> bool:
    try:
        return dt.datetime.fromisoformat(value) == moment
    except (TypeError, ValueError):
        return False


def _order(when: dt.date | dt.datetime, zone: ZoneInfo) -> dt.date | dt.datetime:
    return to_utc(when, zone) if isinstance(when, dt.datetime) else when


_DATETIME = DateTime()


def _iso(when: dt.date | dt.datetime | None) -> str | None:
    return when.isoformat() if when else None
