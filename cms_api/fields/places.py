"""Postal addresses and opening hours."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.fields.base import (
    LINE_LIMIT,
    FieldPath,
    FieldType,
    JsonSchema,
    nullable,
    read_line,
    read_list,
    read_object,
    register,
)
from cms_api.fields.clock import TIME_PATTERN, read_time
from cms_api.fields.numeric import read_number

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
RANGES_PER_DAY = 24
_ADDRESS_LINES = ("street", "street2", "city", "state", "postal_code", "country")
_COORDINATES = {"latitude": 90, "longitude": 180}
_DAY_MINUTES = 24 * 60


@register("address")
class Address(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> dict[str, Any] | None:
        sent = read_object(value, where)
        errors = ErrorCollector()
        address: dict[str, Any] = {}
        for key in _ADDRESS_LINES:
            with errors.under():
                address[key] = read_line(sent.get(key), where.inside(key))
        for key, bound in _COORDINATES.items():
            with errors.under():
                address[key] = _read_coordinate(sent.get(key), where.inside(key), bound)
        errors.raise_if_any()
        return None if all(part is None for part in address.values()) else address

    def lacks(self, stored: Any) -> bool:
        return not stored or not any(stored.get(key) for key in ("street", "city", "postal_code"))

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        lines = {key: nullable({"type": "string", "maxLength": LINE_LIMIT}) for key in _ADDRESS_LINES}
        coordinates = {
            key: nullable({"type": "number", "minimum": -bound, "maximum": bound}) for key, bound in _COORDINATES.items()
        }
        shape: JsonSchema = {"type": "object", "properties": lines | coordinates}
        return shape if writing else shape | {"required": [*lines, *coordinates]}

    def search_text(self, field: Field, stored: Any) -> str:
        if not isinstance(stored, dict):
            return ""
        return " ".join(part for key in _ADDRESS_LINES if isinstance(part := stored.get(key), str))


@register("hours")
class Hours(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> dict[str, list[dict[str, str]]]:
        sent = read_object(value, where)
        errors = ErrorCollector()
        week: dict[str, list[dict[str, str]]] = {}
        for day in DAYS:
            with errors.under():
                week[day] = _read_day(sent.get(day), where.inside(day))
        errors.raise_if_any()
        return week

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        time = {"type": "string", "pattern": f"^{TIME_PATTERN}$"}
        opening = {"type": "object", "required": ["open", "close"], "properties": {"open": time, "close": time}}
        day: JsonSchema = {"type": "array", "items": opening, "maxItems": RANGES_PER_DAY}
        if writing:
            return {"type": "object", "properties": dict.fromkeys(DAYS, nullable(day))}
        return {"type": "object", "properties": dict.fromkeys(DAYS, day), "required": list(DAYS)}


def _read_coordinate(value: Any, where: FieldPath, bound: int) -> int | float | None:
    number = read_number(value, where)
    if number is not None and not -bound <= number <= bound:
        raise where.refusal(f"must be between -{bound} and {bound}.")
    return number


def _read_day(value: Any, where: FieldPath) -> list[dict[str, str]]:
    """Return the day's openings sorted by time. An opening that ends before it starts runs past midnight."""
    if value is None or value == "":
        return []
    errors = ErrorCollector()
    openings = []
    for index, entry in enumerate(read_list(value, where, RANGES_PER_DAY)):
        with errors.under():
            openings.append(_read_opening(entry, FieldPath(f"{where.path}.{index}", where.key)))
    errors.raise_if_any()
    openings.sort(key=_span)
    if any(_span(earlier)[1] > _span(later)[0] for earlier, later in pairwise(openings)):
        raise where.refusal("has opening hours that overlap.")
    return openings


def _read_opening(entry: Any, where: FieldPath) -> dict[str, str]:
    sent = read_object(entry, where)
    errors = ErrorCollector()
    opening: dict[str, str] = {}
    for key in ("open", "close"):
        at = where.inside(key)
        with errors.under():
            time = read_time(sent.get(key), at)
            if time is None:
                raise Invalid({at.path: required_message(key)})
            opening[key] = time
    errors.raise_if_any()
    if opening["open"] == opening["close"]:
        raise where.inside("close").refusal("must be different from open.")
    return opening


def _span(opening: dict[str, str]) -> tuple[int, int]:
    begin, end = (int(time[:2]) * 60 + int(time[3:]) for time in (opening["open"], opening["close"]))
    return begin, end if end > begin else end + _DAY_MINUTES
