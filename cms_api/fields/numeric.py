"""Numbers, integers and booleans. HTML forms send strings, so plain decimal strings are accepted too."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from cms_api.fields.base import FieldPath, FieldType, JsonSchema, register

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field

INTEGER_MIN, INTEGER_MAX = -(2**63), 2**63 - 1
_DECIMAL = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?")
_DECIMAL_SCHEMA = r"^\s*[+-]?[0-9]{1,40}(\.[0-9]{1,40})?\s*$"
_WHOLE_SCHEMA = r"^\s*[+-]?[0-9]{1,40}(\.0{1,40})?\s*$"
_TRUE, _FALSE = ("1", "true"), ("0", "false")


def read_number(value: Any, where: FieldPath) -> int | float | None:
    """Return a finite number within 64 bits, or None for null and the empty string.

    PostgreSQL returns large floats as integers, which cannot be serialized to JSON beyond 64 bits.
    """
    number = _from_string(value)
    if number is None or number == "":
        return None
    if not _is_finite(number):
        raise where.refusal("must be a number.")
    if not INTEGER_MIN <= number <= INTEGER_MAX:
        raise where.refusal(f"must be between {INTEGER_MIN} and {INTEGER_MAX}.")
    return number


def read_integer(value: Any, where: FieldPath, low: int = INTEGER_MIN, high: int = INTEGER_MAX) -> int | None:
    """Return an integer within the bounds. 5.0 is accepted as 5, as in JSON."""
    number = _from_string(value)
    if number is None or number == "":
        return None
    if not _is_finite(number) or number != int(number):
        raise where.refusal("must be an integer.")
    if not low <= number <= high:
        raise where.refusal(f"must be between {low} and {high}.")
    return int(number)


def read_flag(value: Any, where: FieldPath) -> bool | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if value in _TRUE or value in _FALSE:
            return value in _TRUE
    elif isinstance(value, bool | int | float) and value in (0, 1):
        return bool(value)
    raise where.refusal("must be true or false.")


@register("number")
class Number(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> int | float | None:
        return read_number(value, where)

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        return _or_string({"type": "number"}, _DECIMAL_SCHEMA, writing)


@register("integer")
class Integer(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> int | None:
        return read_integer(value, where)

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        whole = {"type": "integer", "format": "int64", "minimum": INTEGER_MIN, "maximum": INTEGER_MAX}
        return _or_string(whole, _WHOLE_SCHEMA, writing)


@register("boolean")
class Boolean(FieldType):
    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> bool | None:
        return read_flag(value, where)

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        if writing:
            return {"anyOf": [{"type": "boolean"}, {"enum": [0, 1, *_FALSE, *_TRUE]}]}
        return {"type": "boolean"}


def _from_string(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not _DECIMAL.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)


def _or_string(fragment: JsonSchema, pattern: str, writing: bool) -> JsonSchema:
    return {"anyOf": [fragment, {"type": "string", "pattern": pattern}]} if writing else fragment
