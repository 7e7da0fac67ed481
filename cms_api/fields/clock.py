"""Calendar dates and times of day, each accepted in exactly one format."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

from cms_api.fields.base import FieldPath, FieldType, JsonSchema, register

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field

TIME_PATTERN = "([01][0-9]|2[0-3]):[0-5][0-9]"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(TIME_PATTERN)


def read_date(value: Any, where: FieldPath) -> dt.date | None:
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "":
        return None
    # `fromisoformat` alone would also accept 20260301 and 2026-W09-7.
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return dt.date.fromisoformat(value)
        except ValueError:
            pass
    raise where.refusal("must be a valid date, as in 2026-03-01.")


def read_time(value: Any, where: FieldPath) -> str | None:
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "":
        return None
    if isinstance(value, str) and _TIME.fullmatch(value):
        return value
    raise where.refusal("must be a valid time, as in 18:30.")


@register("date")
class Date(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str | None:
        date = read_date(value, where)
        return date.isoformat() if date else None

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        return {"type": "string", "format": "date"}


@register("time")
class Time(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> str | None:
        return read_time(value, where)

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        return {"type": "string", "pattern": f"^{TIME_PATTERN}$"}
