"""Listings in the sitemap, the footer, the site's search and the page row."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from tests.builders import make_page

from .builders import make_category, make_listing
from .conftest import Clock

pytestmark = pytest.mark.django_db


def html(path: str, **query: Any) -> str:
    return Client().get(path, query, follow=True).content.decode()


def row(**values: object) -> str:
    """The main part of a page with the row."""
    given = {"heading": "", "shown": "", "count": 2, "link": True, **values}
    page = make_page({"type": "directory_listings", "value": given})
    return html(page.url).partition("<main")[2].partition("</main")[0]


def test_the_sitemap_and_the_footer(clock: Clock) -> None:
    clock("2027-02-01 08:00")
    make_listing("Live", categories=[make_category("Crafts").pk])
    make_listing("Ended", expires_at=datetime(2027, 2, 1, tzinfo=UTC))
    make_listing("Pending", status="pending", categories=[make_category("Food").pk])
    sitemap = html("/sitemap.xml")
    for path in ("/directory<", "/directory/live<", "/directory/category/crafts<"):
        assert path in sitemap
    for path in ("/directory/ended", "/directory/pending", "/directory/category/food"):
        assert path not in sitemap
    assert 'href="/directory"' in html("/search")
    switch_feature(name="directory", on=False)
    assert "/directory" not in html("/sitemap.xml")
    assert 'href="/directory"' not in html("/search")


@pytest.mark.both_databases
def test_the_search_finds_live_listings_until_their_terms_end(clock: Clock) -> None:
    clock("2027-02-01 08:00")
    make_listing("Reyes Ceramics", description="Stoneware with a nettle glaze.", expires_at=datetime(2027, 2, 1, 9, tzinfo=UTC))
    make_listing("Nettle soup", status="pending")
    page = html("/search", q="nettle")
    assert 'href="/directory/reyes-ceramics"' in page
    assert "Listing" in page
    assert "soup" not in page
    clock("2027-02-01 09:00")
    assert "reyes-ceramics" not in html("/search", q="nettle")


def test_the_row_shows_the_newest_the_featured_or_those_of_a_category() -> None:
    crafts = make_category("Crafts")
    make_listing("Potter", featured=True, categories=[crafts.pk])
    make_listing("Weaver", categories=[crafts.pk])
    make_listing("Baker")
    newest = row()
    assert "New in the directory" in newest
    assert "Baker" in newest
    assert "Weaver" in newest
    assert "Potter" not in newest
    featured = row(shown="featured", heading="Our favourites")
    assert "Our favourites" in featured
    assert "Potter" in featured
    assert "Baker" not in featured
    assert 'href="/directory?featured=1"' in featured
    of_category = row(shown="category:crafts", count=24)
    assert "Weaver" in of_category
    assert "Baker" not in of_category
    assert 'href="/directory/category/crafts"' in of_category
    assert "<section" not in row(shown="category:gone")


def test_the_row_is_empty_without_listings_and_changes_with_them() -> None:
    page = make_page({"type": "directory_listings", "value": {"heading": "", "shown": "", "count": 2, "link": True}})
    assert "row--items" not in html(page.url)
    make_listing("Potter")
    assert "Potter" in html(page.url)
    switch_feature(name="directory", on=False)
    assert "Potter" not in html(page.url)
