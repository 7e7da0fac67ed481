"""Postal codes: their parts, and patterns that match whole parts. No database access.

A part is a unit of the post: the outward code of `NW1 6XE`, the five digits of `94103-1234`. Prefixes of characters alone would
make `NW1` cover NW10 as well.
"""

import re
from functools import lru_cache

from cms_api.text.keyboards import fold_keyboard

#: Ends the beginning of a code: `101*`.
ANY = "*"
#: Characters of a postal code. Longer ones match nothing.
MAX_CODE = 30


def _digits(first: int, second: str) -> re.Pattern[str]:
    return re.compile(rf"([0-9]{{{first}}})([0-9]{second})?")


#: The parts of codes without spaces and hyphens, by country; all parts but the first can be missing.
_BRITISH = re.compile("([A-Z]{1,2}[0-9][A-Z0-9]?)([0-9][A-Z]{2})?")
_PARTS: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("GB", "GG", "IM", "JE"), _BRITISH),
    **dict.fromkeys(("US", "AS", "GU", "MP", "PR", "VI"), _digits(5, "{4}")),
    **dict.fromkeys(("CZ", "GR", "SE", "SK"), _digits(3, "{2}")),
    "BR": _digits(5, "{3}"),
    "CA": re.compile("([A-Z][0-9][A-Z])([0-9][A-Z][0-9])?"),
    "IE": re.compile("([A-Z][0-9][0-9W])([A-Z0-9]{4})?"),
    "IN": _digits(3, "{3}"),
    "JP": _digits(3, "{4}"),
    "MT": re.compile("([A-Z]{3})([0-9]{4})?"),
    "NL": re.compile("([0-9]{4})([A-Z]{2})?"),
    "PL": _digits(2, "{3}"),
    "PT": _digits(4, "{3}"),
    "TW": _digits(3, "{2,3}"),
}
#: The sign of a country before a code of digits, as in CH-8001.
_COUNTRY_SIGN = re.compile(r"[A-Z]{1,3}-(?=[0-9][0-9 -]*\*?$)")
_BETWEEN = re.compile(r"[\s-]+")


def tidy_pattern(text: str) -> str:
    """Return a code or pattern in capitals, with single spaces: they tell `NW1 6*` from `NW16*`."""
    return _COUNTRY_SIGN.sub("", _capitals(text))


def _capitals(code: str) -> str:
    return " ".join(fold_keyboard(code).upper().split())


def covers(pattern: str, code: str, country: str) -> bool:
    """Return whether a pattern covers a postal code of a country (ISO 3166), in any case, with or without spaces and hyphens.

    A pattern is a whole code (`94103-1234`), its first parts (`94103`, `NW1`, `1012`), or the beginning of one with an asterisk.
    A beginning of digits covers all codes that begin so (`10*`). In British outward codes it ends where letters turn to digits
    or digits to letters: `NW1*` covers NW1 and NW1W, and not NW10; `N*` does not cover NW1.
    """
    if len(code) > MAX_CODE:
        return False
    found = _parts(tidy_pattern(code), country)
    tidy = tidy_pattern(pattern)
    is_beginning = tidy.endswith(ANY)
    wanted = _parts(tidy.removesuffix(ANY), country)
    if not found or not wanted:
        return bool(found) and is_beginning
    whole, stem = "".join(found), "".join(wanted)
    if not is_beginning:
        return whole == stem or found[: len(wanted)] == wanted
    if not whole.startswith(stem) or found[: len(wanted) - 1] != wanted[:-1]:
        return False
    if _PARTS.get(country) is not _BRITISH:
        return True
    first = found[0]
    if len(stem) > len(first):
        # A beginning that is an outward code of its own, such as NW16, is not NW1 with a 6.
        return len(wanted) > 1 or not _BRITISH.fullmatch(stem)
    return len(stem) == len(first) or first[len(stem)].isdigit() != stem[-1].isdigit()


@lru_cache(maxsize=10_000)
def _parts(text: str, country: str) -> tuple[str, ...]:
    pieces = tuple(piece for piece in _BETWEEN.split(text) if piece)
    known = _PARTS.get(country)
    match = known.fullmatch("".join(pieces)) if known else None
    if match is None or (len(pieces) > 1 and pieces[0] != match[1]):
        return pieces
    return tuple(part for part in match.groups() if part)


def spellings(code: str) -> set[str]:
    """Return the ways in which a postal code is written: as it is, in capitals, without spaces and hyphens, and with either.

    For searches in columns that hold codes as others wrote them.
    """
    capitals = _capitals(code)
    plain = _BETWEEN.sub("", capitals)
    matches = [match for known in _PARTS.values() if (match := known.fullmatch(plain)) and match[2]]
    split = {separator.join(match.groups()) for match in matches for separator in " -"}
    return {code, capitals, plain} | split
