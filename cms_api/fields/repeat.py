"""The repeat rule of a datetime: fully validated before any recurrence library sees it, and not expanded here."""

from __future__ import annotations

import datetime as dt
from typing import Any

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.fields.base import FieldPath, JsonSchema, nullable, read_list, read_object
from cms_api.fields.clock import read_date
from cms_api.fields.numeric import read_integer
from cms_api.fields.places import DAYS

FREQUENCIES = ("daily", "weekly", "monthly", "yearly")
MONTHLY_RULES = ("day", "weekday")
INTERVAL_MAX = 999
COUNT_MAX = 1000

REPEAT_KEYS = ("frequency", "interval", "until", "count", "weekdays", "monthly")


def read_repeat(value: Any, where: FieldPath, start: dt.date | None) -> dict[str, Any] | None:
    """Return the rule with every key present. `start` is the local date of the first occurrence, or None if that is invalid."""
    if value is None or value == "":
        return None
    sent = read_object(value, where)
    errors = ErrorCollector()
    rule: dict[str, Any] = dict.fromkeys(REPEAT_KEYS)
    with errors.under():
        rule["frequency"] = _read_frequency(sent.get("frequency"), where.inside("frequency"))
    with errors.under():
        rule["interval"] = read_integer(sent.get("interval"), where.inside("interval"), 1, INTERVAL_MAX) or 1
    with errors.under():
        rule["until"] = _read_until(sent.get("until"), where.inside("until"), start)
    with errors.under():
        rule["count"] = read_integer(sent.get("count"), where.inside("count"), 1, COUNT_MAX)
    with errors.under():
        rule["weekdays"] = _read_weekdays(sent.get("weekdays"), where.inside("weekdays"), rule["frequency"])
    with errors.under():
        rule["monthly"] = _read_monthly(sent.get("monthly"), where.inside("monthly"), rule["frequency"])
    if rule["until"] is not None and rule["count"] is not None:
        errors.add(where.inside("until").path, "The until field must not be sent together with count.")
        errors.add(where.inside("count").path, "The count field must not be sent together with until.")
    errors.raise_if_any()
    return rule


def repeat_schema(*, writing: bool) -> JsonSchema:
    day = {"type": "string", "enum": list(DAYS)}
    weekdays: JsonSchema = {"type": "array", "items": day}
    shape: JsonSchema = {
        "type": "object",
        "properties": {
            "frequency": {"type": "string", "enum": list(FREQUENCIES)},
            "interval": {"type": "integer", "minimum": 1, "maximum": INTERVAL_MAX},
            "until": nullable({"type": "string", "format": "date"}),
            "count": nullable({"type": "integer", "minimum": 1, "maximum": COUNT_MAX}),
            "weekdays": nullable(weekdays) if writing else weekdays,
            "monthly": nullable({"type": "string", "enum": list(MONTHLY_RULES)}),
        },
    }
    return nullable(shape | {"required": ["frequency"] if writing else list(REPEAT_KEYS)})


def _read_choice(value: Any, choices: tuple[str, ...], where: FieldPath) -> str | None:
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "":
        return None
    if isinstance(value, str) and value in choices:
        return value
    raise Invalid({where.path: invalid_choice(where.key, choices)})


def _read_frequency(value: Any, where: FieldPath) -> str:
    frequency = _read_choice(value, FREQUENCIES, where)
    if frequency is None:
        raise Invalid({where.path: required_message(where.key)})
    return frequency


def _read_until(value: Any, where: FieldPath, start: dt.date | None) -> str | None:
    until = read_date(value, where)
    if until is not None and start is not None and until < start:
        raise where.refusal("must be a date after or equal to start.")
    return until.isoformat() if until else None


def _read_weekdays(value: Any, where: FieldPath, frequency: str | None) -> list[str]:
    if value is None or value == "":
        return []
    days = {_read_choice(day, DAYS, where) for day in read_list(value, where, 100)}
    if None in days:
        raise Invalid({where.path: invalid_choice(where.key, DAYS)})
    if days and frequency not in ("weekly", None):
        raise where.refusal("is only for the weekly frequency.")
    return [day for day in DAYS if day in days]


def _read_monthly(value: Any, where: FieldPath, frequency: str | None) -> str | None:
    rule = _read_choice(value, MONTHLY_RULES, where)
    if rule is not None and frequency not in ("monthly", None):
        raise where.refusal("is only for the monthly frequency.")
    return rule or ("day" if frequency == "monthly" else None)
