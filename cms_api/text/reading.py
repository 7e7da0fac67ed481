"""Reads numbers and dates that people type by the conventions that `formats` writes them with, or refuses them.

Nothing is guessed. A number whose groups are not well formed in the locale, such as `1.5` in Germany, and a date whose order
cannot be told are refused, as the sum or the day would otherwise be another than the person meant.
"""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cache

from babel import Locale, UnknownLocaleError
from babel.languages import get_official_languages
from babel.numbers import get_currency_symbol

#: Characters of a typed number or date, its currency included. Longer texts are refused before they are parsed.
MAX_TYPED_CHARACTERS = 60

#: The separators that people use for one another: spaces that break or not, and both apostrophes.
_FAMILIES = (frozenset(" \xa0\u2009\u202f"), frozenset("'\u2019"))
_MINUS = frozenset("-\u2212")
#: Of Arabic digits, in whatever locale they are typed.
_ARABIC_DECIMAL, _ARABIC_GROUP = "\u066b", "\u066c"

#: A number with points for decimals and commas for groups.
_UNGROUPED = r"[0-9]+"
_THOUSANDS = r"[1-9][0-9]{0,2}(?:,[0-9]{3})+"
_LAKHS = r"[1-9][0-9]?(?:,[0-9]{2})*,[0-9]{3}"
_DECIMALS = r"(?:\.[0-9]+)?"

_DATE = re.compile(r"([0-9]{1,4})([./-])([0-9]{1,2})\2([0-9]{1,4})", re.ASCII)
_TIME = re.compile(r"([0-9]{1,2})[:.]([0-9]{2})(?:[:.]([0-9]{2}))?(?:\s*([ap])\.?m\.?)?", re.ASCII | re.IGNORECASE)


def read_number(text: str, locale: Locale, *, decimals: int, units: Iterable[str] = ()) -> Decimal:
    """Return a number with at most so many decimals, typed as the locale writes it, with or without groups.

    One of the `units`, such as `€` or `%`, may stand before or after it, in any case. Digits may be of any one script. Raises
    ValueError.
    """
    if len(text) > MAX_TYPED_CHARACTERS:
        raise ValueError("The text is too long for a number.")
    plain = _without_marks(text)
    is_negative, plain = _cut_minus(plain)
    plain = _cut_unit(plain, units)
    if not is_negative:
        is_negative, plain = _cut_minus(plain)
    plain = _plain_digits(plain, locale)
    if not _pattern(locale).fullmatch(plain):
        raise ValueError("The text is no number of this locale.")
    if len(plain.partition(".")[2]) > decimals:
        raise ValueError("The number has too many decimals.")
    number = Decimal(plain.replace(",", ""))
    return -number if is_negative else number


def _without_marks(text: str) -> str:
    """Return text without the marks of its direction, which CLDR puts around signs and currencies."""
    return "".join(each for each in text if unicodedata.category(each) != "Cf").strip()


def _cut_minus(text: str) -> tuple[bool, str]:
    return (True, text[1:].strip()) if text[:1] in _MINUS and text else (False, text)


def _cut_unit(text: str, units: Iterable[str]) -> str:
    folded = text.casefold()
    for unit in sorted({_without_marks(each).casefold() for each in units} - {""}, key=len, reverse=True):
        if folded.startswith(unit):
            return text[len(unit) :].strip()
        if folded.endswith(unit):
            return text[: -len(unit)].strip()
    return text


def _plain_digits(text: str, locale: Locale) -> str:
    """Return a number in ASCII digits, with `.` before decimals and `,` between groups. Raises ValueError."""
    decimal, groups = _separators(locale)
    found, zeros = [], set()
    for character in text:
        if character.isdecimal():
            digit = unicodedata.decimal(character)
            zeros.add(ord(character) - digit)
            found.append(str(digit))
        elif character in (decimal, _ARABIC_DECIMAL):
            found.append(".")
        elif character in groups:
            found.append(",")
        else:
            raise ValueError("The text has a character of no number.")
    if len(zeros) > 1:
        raise ValueError("The digits are of several scripts.")
    return "".join(found)


@cache
def _separators(locale: Locale) -> tuple[str, frozenset[str]]:
    """Return the decimal separator of a locale, and those that people type between groups of digits."""
    symbols = locale.number_symbols["latn"]
    decimal = str(symbols["decimal"])
    named = {str(symbols["group"]), str(symbols.get("currencyGroup", symbols["group"]))}
    groups = named | {each for family in _FAMILIES if named & family for each in family} | {_ARABIC_GROUP}
    return decimal, frozenset(groups - {decimal})


@cache
def _pattern(locale: Locale) -> re.Pattern[str]:
    primary, secondary = locale.decimal_formats[None].grouping
    whole = f"{_UNGROUPED}|{_THOUSANDS}" + (f"|{_LAKHS}" if secondary != primary else "")
    return re.compile(rf"(?:{whole}){_DECIMALS}|\.[0-9]+", re.ASCII)


@cache
def currency_units(currency: str, locale: Locale) -> frozenset[str]:
    """Return the ways to name a currency beside an amount: its ISO code, and its symbols in the locale and its country."""
    code = currency.upper()
    return frozenset({code, *(get_currency_symbol(code, each) for each in _locales_of(locale))})


def _locales_of(locale: Locale) -> Iterator[Locale]:
    yield locale
    for language in get_official_languages(locale.territory) if locale.territory else ():
        try:
            yield Locale.parse(f"{language}_{locale.territory}")
        except UnknownLocaleError:
            continue


def read_day(text: str, locale: Locale) -> dt.date:
    """Return a date typed in the order of the locale (`31.12.2026`, `12/31/2026`), or with its year first. Raises ValueError.

    Years have four digits.
    """
    if len(text) > MAX_TYPED_CHARACTERS:
        raise ValueError("The text is too long for a date.")
    found = _DATE.fullmatch(_without_marks(text))
    if not found:
        raise ValueError("The text is no date.")
    first, second, third = found[1], found[3], found[4]
    order = "yMd" if len(first) == 4 else _order(locale)
    if order == "Mdy" and found[2] == ".":
        raise ValueError("Dates with points begin with the day nearly everywhere else.")
    parts = dict(zip(order, (first, second, third), strict=True))
    if len(parts["y"]) != 4 or len(parts["d"]) > 2 or len(parts["M"]) > 2:
        raise ValueError("The order of the date can't be told.")
    return dt.date(int(parts["y"]), int(parts["M"]), int(parts["d"]))


@cache
def _order(locale: Locale) -> str:
    """Return the order of day, month and year: `dMy`."""
    pattern = locale.date_formats["short"].pattern
    return "".join(sorted("dMy", key=pattern.index))


def typed_day(day: dt.date, locale: Locale) -> str:
    """Return a date in digits, in the order of the locale: `31.12.2026`."""
    pattern = locale.date_formats["short"].pattern
    separator = next((each for each in pattern if each in "./-"), "/")
    parts = {"d": f"{day:%d}", "M": f"{day:%m}", "y": f"{day.year:04}"}
    return separator.join(parts[each] for each in _order(locale))


#: The time of a date that was typed alone, where it is the last one of a period.
END_OF_DAY = dt.time(23, 59, 59)


def read_wall_time(text: str, locale: Locale, *, is_end: bool = False) -> dt.datetime:
    """Return a date, as `read_day` reads it, and a time (`14:30`, `2:30 pm`). Raises ValueError.

    Without a time it is midnight, or, if it `is_end`, the end of the day.
    """
    if len(text) > MAX_TYPED_CHARACTERS:
        raise ValueError("The text is too long for a date.")
    # Programs write "2:30 PM" with a space that does not break, or a narrow one.
    day, *rest = _without_marks(text).replace(",", " ").split()
    time = _read_time(" ".join(rest)) if rest else END_OF_DAY if is_end else dt.time()
    return dt.datetime.combine(read_day(day, locale), time)


def _read_time(text: str) -> dt.time:
    found = _TIME.fullmatch(text.strip())
    if not found:
        raise ValueError("The text is no time.")
    hour = int(found[1])
    if found[4]:
        if not 1 <= hour <= 12:
            raise ValueError("The text is no time.")
        hour = hour % 12 + (12 if found[4].lower() == "p" else 0)
    return dt.time(hour, int(found[2]), int(found[3] or 0))
