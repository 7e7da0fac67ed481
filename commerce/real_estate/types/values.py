"""Reads single values of records from feeds, which write the same thing in many ways. None and empty text mean unknown."""

import re
import unicodedata
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from numbers import Number
from typing import Any
from zoneinfo import ZoneInfo

from cms_api.http.wire import parse_day, parse_instant

_UTC = ZoneInfo("UTC")
_NUMBER = re.compile(r"-?(\d{1,3}(,\d{3})+|\d{1,15})(\.\d{1,20})?")
_LEADING = re.compile(r"\d{1,3}(\.\d{1,2})?")
_NO_LETTERS = re.compile("[^a-z]")
_YES = {"true", "yes", "y", "1"}
_NO = {"false", "no", "n", "0"}
#: Feeds differ in the number of decimals of a second.
_SECONDS = re.compile(r"(\.\d{6})\d+")


#: Square feet of the units of areas, and other names of these.
SQUARE_FEET = {
    "squarefeet": Decimal(1),
    "acres": Decimal(43_560),
    "squaremeters": Decimal("10.76391041671"),
    "hectares": Decimal("107639.1041671"),
    "squareyards": Decimal(9),
    "squaremiles": Decimal(27_878_400),
    "squarekilometers": Decimal("10763910.41671"),
}
_UNITS = {
    **dict.fromkeys(("squarefoot", "sqft", "sf", "feet", "sqfeet"), "squarefeet"),
    **dict.fromkeys(("acre", "ac"), "acres"),
    **dict.fromkeys(("squaremetres", "squaremeter", "squaremetre", "sqm", "sqmeters", "sqmetres", "m", "meters"), "squaremeters"),
    **dict.fromkeys(("hectare", "ha"), "hectares"),
    **dict.fromkeys(("squareyard", "sqyd"), "squareyards"),
    **dict.fromkeys(("squaremile", "sqmi"), "squaremiles"),
    **dict.fromkeys(("squarekilometres", "squarekilometer", "squarekilometre", "sqkm", "km"), "squarekilometers"),
}


class Cell(str):
    """The text of a cell of a table, which people write by the conventions of their country; see `cells`."""

    __slots__ = ()

    def find_numbers(self, name: str, *, currency: str, has_thousandths: bool) -> list[Decimal]:
        """Return the numbers that it can mean: one or two. Raises Unreadable."""
        raise NotImplementedError

    def two_ways(self) -> str:
        """Return two ways to write a number, each of which can mean only one."""
        raise NotImplementedError

    def with_point(self) -> str:
        """Return the text with a point before decimals."""
        raise NotImplementedError


class Unreadable(Exception):
    """A value that cannot be read. The message names its field, never the value."""


def read_line(record: dict[str, Any], name: str, longest: int) -> str:
    """Return one line of text, cut to its greatest length; empty if it is not there."""
    return " ".join(_text(record, name).split())[:longest].strip()


def read_paragraphs(record: dict[str, Any], name: str, longest: int) -> str:
    """Return text of several lines, cut to its greatest length."""
    return _text(record, name, lines=True)[:longest].strip()


def _text(record: dict[str, Any], name: str, *, lines: bool = False) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | Number):
        raise Unreadable(f"The {name} is no text.")
    text = str(value).replace("\r\n", "\n").replace("\r", "\n")
    return clean(text, keep="\n" if lines else "")


def clean(text: str, *, keep: str = "") -> str:
    """Return text in which control characters are spaces, without NUL and lone surrogates."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_clean_character(character, keep) for character in text)


def _clean_character(character: str, keep: str) -> str:
    category = unicodedata.category(character)
    if character == "\0" or category == "Cs":
        return ""
    return " " if category == "Cc" and character not in keep else character


def read_number(
    record: dict[str, Any], name: str, highest: int, *, lowest: int = 0, currency: str = "", has_thousandths: bool = False
) -> Decimal | None:
    """Return a number within limits, or an amount of a currency. Raises Unreadable.

    In a cell, a point before three digits is one between groups where the site's country writes it so, unless the number
    `has_thousandths`.
    """
    value = record.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    is_cell = isinstance(value, Cell)
    found = value.find_numbers(name, currency=currency, has_thousandths=has_thousandths) if is_cell else [_number(value)]
    if None in found:
        raise Unreadable(f"The {name} is no number.")
    within = [each for each in found if each is not None and lowest <= each <= highest]
    if not within:
        raise Unreadable(f"The {name} is out of range.")
    if len(within) > 1:
        raise Unreadable(f"The {name} can be read in two ways. Write it as in {value.two_ways()}.")
    return within[0]


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, str | Number):
        return None
    if isinstance(value, str):
        text = value.strip()
        if not text.isascii() or not _NUMBER.fullmatch(text):
            return None
        value = text.replace(",", "")
    try:
        # As text, as the binary form has many more digits.
        number = value if isinstance(value, Decimal) else Decimal(str(value))
    except (InvalidOperation, ValueError):
        return None
    # An exponent of a million would be written out when compared.
    return number if number.is_finite() and abs(number.adjusted()) < 40 else None


def read_whole(record: dict[str, Any], name: str, highest: int) -> int | None:
    """Return a number without its decimals. Raises Unreadable."""
    number = read_number(record, name, highest)
    return None if number is None else int(number)


def read_area(record: dict[str, Any], name: str, units_name: str, highest: int, unit: str) -> int | None:
    """Return an area in whole square feet; nothing if it is 0. Raises Unreadable.

    Its unit is in the field `units_name`, or else `unit`, a key of SQUARE_FEET.
    """
    given = _NO_LETTERS.sub("", read_line(record, units_name, 50).lower()) if units_name else ""
    factor = SQUARE_FEET.get(_UNITS.get(given, given) or unit)
    is_feet = factor == 1
    number = read_number(record, name, highest if factor is None else int(highest / factor), has_thousandths=not is_feet)
    if not number:
        return None
    if factor is None:
        raise Unreadable(f"The {units_name} is unknown." if given else f"The {units_name} is missing.")
    return int((number * factor).to_integral_value(ROUND_HALF_UP)) or None


def read_baths(record: dict[str, Any], highest: int) -> Decimal | None:
    """Return the number of bathrooms with two decimals. Older feeds write it in words that begin with it."""
    for name in ("BathroomsTotalDecimal", "BathroomsTotalInteger"):
        number = read_number(record, name, highest, has_thousandths=True)
        if number is not None:
            return number.quantize(Decimal("0.01"), ROUND_HALF_UP)
    written = record.get("BathroomsTotal")
    text = written.with_point() if isinstance(written, Cell) else _text(record, "BathroomsTotal")
    found = _LEADING.match(text.strip())
    return Decimal(found[0]) if found and Decimal(found[0]) <= highest else None


def read_words(record: dict[str, Any], name: str) -> set[str] | None:
    """Return the words of a list, or of a text that is one, without case; None if it is not there. Raises Unreadable."""
    value = record.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    parts = re.split(r"[,;|]", value) if isinstance(value, str) else value
    if not isinstance(parts, list) or not all(isinstance(each, str) for each in parts):
        raise Unreadable(f"The {name} is no list.")
    return {" ".join(each.split()).casefold() for each in parts}


def read_flag(record: dict[str, Any], name: str, default: bool) -> bool:
    """Return an answer to a yes or no question. Raises Unreadable."""
    value = record.get(name)
    if value is None or (isinstance(value, str) and not value.strip()):
        return default
    word = str(value).strip().lower() if isinstance(value, str | int | bool) else ""
    if word not in _YES | _NO:
        raise Unreadable(f"The {name} is neither yes nor no.")
    return word in _YES


def read_date(record: dict[str, Any], name: str) -> date | None:
    """Return a date, also that of a moment. Raises Unreadable."""
    text = _moment_text(record, name)
    try:
        return parse_day(text[:10]) if text else None
    except ValueError:
        raise Unreadable(f"The {name} is no date.") from None


def read_moment(record: dict[str, Any], name: str) -> datetime | None:
    """Return a moment; one without a zone is in UTC. Raises Unreadable."""
    text = _moment_text(record, name)
    try:
        return parse_instant(_SECONDS.sub(r"\1", text), _UTC).astimezone(UTC) if text else None
    except (ValueError, OverflowError):
        raise Unreadable(f"The {name} is no date.") from None


def _moment_text(record: dict[str, Any], name: str) -> str:
    value = record.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > 50:
        raise Unreadable(f"The {name} is no date.")
    return value.strip()
