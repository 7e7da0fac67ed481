"""Postal addresses in the order of their country."""

from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.text.addresses import address_labels, address_lines, clean_address, countries, country_code, country_name

WHOLE = {"street": "14 Canal Street", "street2": "Flat 2", "city": "Town", "state": "Region", "postal_code": "01234"}
STREET = ["14 Canal Street", "Flat 2"]


@pytest.mark.parametrize(
    ("country", "expected"),
    [
        ("US", [*STREET, "Town, Region 01234", "United States"]),
        ("gb", [*STREET, "Town", "Region", "01234", "United Kingdom"]),
        ("Germany", [*STREET, "01234 Town", "Region", "Germany"]),
        ("Japan", ["01234", "Region", *STREET, "Town", "Japan"]),
        ("Atlantis", [*STREET, "01234 Town", "Region", "Atlantis"]),
        # Without a country, it is the site's.
        ("", [*STREET, "01234 Town", "Region"]),
    ],
)
def test_it_works(country: str, expected: list[str]) -> None:
    assert address_lines({**WHOLE, "country": country}, home="FR") == expected


def test_parts_that_are_not_given_leave_no_trace() -> None:
    assert address_lines({**WHOLE, "city": None, "street2": ""}, home="US") == ["14 Canal Street", "Region 01234"]
    assert address_lines({**WHOLE, "state": ""}, home="US") == [*STREET, "Town 01234"]
    assert address_lines({**WHOLE, "postal_code": ""}, home="US") == [*STREET, "Town, Region"]
    assert address_lines({"city": "Town", "country": "JP", "latitude": 5.0}, home="US") == ["Town", "Japan"]
    assert address_lines({}, home="US") == []


def test_nothing_that_is_given_is_left_out() -> None:
    for code in countries():
        written = " ".join(address_lines({**WHOLE, "country": code}, home="US"))
        assert all(part in written for part in WHOLE.values()), code


@pytest.mark.parametrize(
    ("text", "code"),
    [("GB", "GB"), (" uk ", "GB"), ("USA", "US"), ("United Kingdom", "GB"), ("Nowhere", ""), ("", ""), ("EU", "")],
)
def test_codes_of_countries(text: str, code: str) -> None:
    assert country_code(text) == code


def test_names_of_countries() -> None:
    assert [country_name(text) for text in ("gb", "UK", "Great Britain", "XYZ")] == [
        "United Kingdom",
        "United Kingdom",
        "Great Britain",
        "XYZ",
    ]


PLACE = {"name": "Ada", "street": "1 Main St", "street2": "", "city": "Town", "state": "", "postal_code": ""}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"country": "US", "state": "california", "postal_code": "90210"}, {"state": "CA", "postal_code": "90210"}),
        ({"country": "United Kingdom", "postal_code": " sw1a  1aa"}, {"country": "GB", "postal_code": "SW1A 1AA"}),
        ({"country": "GB", "state": "Kent", "postal_code": "SW1A 1AA"}, {"state": "Kent"}),
        ({"country": "BR", "state": "Sao Paulo", "postal_code": "01310-100"}, {"state": "SP"}),
        ({"country": "CA", "state": "Québec", "postal_code": "h3z 2y7"}, {"state": "QC", "postal_code": "H3Z 2Y7"}),
        ({"country": "JP", "state": "hokkaido", "postal_code": "060-0001"}, {"state": "Hokkaido"}),
        ({"country": "JP", "state": "北海道", "postal_code": "060-0001"}, {"state": "北海道"}),
        ({"country": "JP", "state": "北海道", "postal_code": "０６０ー０００１"}, {"postal_code": "060-0001"}),
        ({"country": "GB", "postal_code": "sw1a\N{NO-BREAK SPACE}1aa"}, {"postal_code": "SW1A 1AA"}),
        ({"country": "AE", "state": "Dubai", "postal_code": "１２\N{EN DASH}３"}, {"postal_code": "12-3"}),
        ({"country": "HK", "state": "Kowloon", "city": ""}, {"state": "Kowloon"}),
        ({"country": "IE", "street": " 1  Main\nSt "}, {"street": "1 Main St"}),
        ({"country": "AE", "state": "Dubai", "postal_code": "anything"}, {"state": "Dubai", "postal_code": "anything"}),
    ],
)
def test_an_address_is_written_as_its_country_does(given: dict[str, str], expected: dict[str, str]) -> None:
    cleaned = clean_address({**PLACE, **given})
    assert cleaned == {**PLACE, **given, **{"street": "1 Main St"}, **expected}
    assert clean_address(cleaned) == cleaned


@pytest.mark.parametrize(
    ("given", "errors"),
    [
        ({"country": "US"}, {"state": "Enter a state.", "postal_code": "Enter a ZIP code."}),
        ({"country": "US", "state": "NY", "postal_code": "90210"}, {"postal_code": "Enter a valid ZIP code."}),
        ({"country": "DE", "postal_code": "1234"}, {"postal_code": "Enter a valid postal code."}),
        ({"country": "DE", "postal_code": "12345", "city": " "}, {"city": "Enter a city."}),
        ({"country": "XX"}, {"country": "Select a country."}),
        ({}, {"country": "Select a country."}),
        ({"country": 7, "street": ["x"]}, {"country": "Select a country.", "street": "Enter text without special characters."}),
        ({"country": "IE", "city": "a\0b"}, {"city": "Enter text without special characters."}),
        # A ligature of eighteen letters.
        ({"country": "AE", "state": "Dubai", "postal_code": "\ufdfa" * 30}, {"postal_code": "Enter at most 30 characters."}),
        ({"country": "IE", "city": "x" * 101}, {"city": "Enter at most 100 characters."}),
    ],
)
def test_an_address_that_cannot_be_is_refused(given: dict[str, Any], errors: dict[str, str]) -> None:
    with pytest.raises(Invalid) as refused:
        clean_address({**PLACE, **given}, "shipping")
    assert refused.value.errors == {f"shipping.{key}": [sentence] for key, sentence in errors.items()}


def test_every_country_has_labels() -> None:
    assert {address_labels(code)["postal_code"] for code in countries()} == {"ZIP code", "Postal code", "PIN code", "Eircode"}
    for code in ("", "XX", "zz"):
        assert address_labels(code)["state"] == address_labels("GB")["state"] == "State or region"
    assert (address_labels("CA")["state"], address_labels("JP")["state"]) == ("Province", "Prefecture")
