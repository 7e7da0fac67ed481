"""Postal addresses in the order of their country."""

import pytest

from cms_api.text.addresses import address_lines, countries, country_code, country_name

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
