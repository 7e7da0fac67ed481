"""Listings in the sitemap, the footer, the site's search, and the rows of pages."""

import re
from html import unescape
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from commerce.real_estate.feeds import LISTINGS, sections
from commerce.real_estate.rows import PropertyListingsBlock
from tests.builders import make_page

from .builders import make_property

pytestmark = pytest.mark.django_db

ROW = {"heading": "", "city": "", "property_type": "", "min_price": None, "max_price": None, "count": 6, "link": True}


def html(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return unescape(answer.content.decode())


def several() -> None:
    make_property(None, 1)
    make_property(None, 2, City="Keene", ListPrice=900_000, PropertyType="Land")
    make_property(None, 3, StandardStatus="Closed")
    make_property(None, 4, InternetEntireListingDisplayYN=False)


def test_the_sitemap_has_listings_on_the_market() -> None:
    several()
    found = sections()["real-estate-listings"]
    assert [found.location(row)[:40] for row in found.items()] == [
        "/real-estate/listings/101-canal-street-b",
        "/real-estate/listings/102-canal-street-k",
    ]
    assert sections()["real-estate"].items() == ["/real-estate"]


def test_the_sites_search(client: Client) -> None:
    several()
    assert [title for _, title, _ in LISTINGS.candidates("canal")] == [
        "102 Canal Street, Keene, VT 05301",
        "101 Canal Street, Brattleboro, VT 05301",
    ]
    page = html(client, "/search?q=keene")
    assert "/real-estate/listings/102-canal-street-keene" in page
    assert "$900,000" in page


def test_the_footer(client: Client) -> None:
    assert re.search(r'<a href="/real-estate"[^>]*>Real estate</a>', html(client, "/search"))


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, ("101", "102")),
        ({"city": "keene"}, ("102",)),
        ({"property_type": "Residential"}, ("101",)),
        ({"min_price": 500_000}, ("102",)),
        ({"max_price": 500_000}, ("101",)),
        ({"count": 1}, ("102",)),
        ({"city": "nowhere"}, ()),
    ],
)
def test_a_row(client: Client, changes: dict[str, Any], shown: tuple[str, ...]) -> None:
    several()
    page = html(client, make_page({"type": "property_listings", "value": {**ROW, **changes}}).url)
    assert tuple(number for number in ("101", "102", "103", "104") if f">{number} Canal Street" in page) == shown
    assert ("See all" in page) == bool(shown)


def test_a_row_links_to_its_search(client: Client) -> None:
    several()
    page = html(client, make_page({"type": "property_listings", "value": {**ROW, "city": "Keene", "max_price": 900_000}}).url)
    assert "Real estate in Keene" in page
    assert 'href="/real-estate?area=Keene&max_price=900000"' in page


def test_a_price_range_has_an_order() -> None:
    block = PropertyListingsBlock()
    with pytest.raises(ValidationError):
        block.clean(block.to_python({**ROW, "min_price": 2, "max_price": 1}))
    assert block.clean(block.to_python({**ROW, "min_price": 1, "max_price": 2}))["max_price"] == 2


@pytest.mark.parametrize("stored", ["B3H 1A1", "B3H1A1", "b3h 1a1", "B3H-1A1"])
@pytest.mark.parametrize("typed", ["B3H 1A1", "B3H1A1", "b3h1a1", "Halifax, NS B3H 1A1", "Halifax B3H1A1"])
def test_a_postal_code_is_found_in_every_spelling(client: Client, stored: str, typed: str) -> None:
    make_property(None, 1, City="Halifax", StateOrProvince="NS", PostalCode=stored, Country="CA")
    page = client.get("/real-estate", {"area": typed}).content.decode()
    assert "101 Canal Street" in page


def test_rents_and_prices_on_request(client: Client) -> None:
    make_property(None, 1, PropertyType="Residential Lease", ListPrice=2500, BathroomsTotalDecimal=2.25)
    row = make_property(None, 2, ListPrice=0)
    page = client.get("/real-estate").content.decode()
    assert "$2,500 a month" in page
    assert "2.25 baths" in page
    assert "Price on request" in page
    assert "$0" not in page
    assert '"price":' not in client.get(f"/real-estate/listings/{row.slug}").content.decode()
