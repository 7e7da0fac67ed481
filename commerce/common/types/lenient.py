"""Reads JSON as programs write it, also where stricter parsers refuse all of it because of one value.

Bytes that are no UTF-8 are replaced, control characters may stand in texts, and so may halves of pairs in UTF-16, which nothing
can store. NaN, Infinity and numbers of a size that nothing has are `UNUSABLE`: what needs one of them can't be read.
"""

import json
from decimal import Decimal, InvalidOperation
from typing import Any

#: Characters of a number. Python refuses to read integers of more than 4,300 digits.
MAX_DIGITS = 4_000
#: Digits before the decimal point, or zeros after it, of a fraction: binary numbers end there.
_MAX_EXPONENT = 308
_BOM = b"\xef\xbb\xbf"


class Unusable:
    """Neither a number nor a text."""

    __slots__ = ()


UNUSABLE = Unusable()


def read_json(content: bytes | str) -> Any:
    """Return what JSON says; its fractions are exact. Raises ValueError."""
    text = content if isinstance(content, str) else content.removeprefix(_BOM).decode("utf-8", "replace")
    try:
        return json.loads(text, strict=False, parse_int=_whole, parse_float=_fraction, parse_constant=_constant)
    except RecursionError:
        raise ValueError("The content is nested too deeply.") from None


def _whole(digits: str) -> int | Unusable:
    return int(digits) if len(digits) <= MAX_DIGITS else UNUSABLE


def _fraction(digits: str) -> Decimal | Unusable:
    try:
        number = Decimal(digits) if len(digits) <= MAX_DIGITS else None
    except InvalidOperation:
        return UNUSABLE
    return number if number is not None and abs(number.adjusted()) <= _MAX_EXPONENT else UNUSABLE


def _constant(_: str) -> Unusable:
    return UNUSABLE
