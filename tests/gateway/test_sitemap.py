"""Files for search engines: the sitemap of all modules, and robots.txt."""

import re
import xml.etree.ElementTree as ET
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, update_item
from cms_api.flags.services import switch_feature
from cms_api.gateway import sitemap
from cms_api.http import page_cache
from home.models import HomePage
from home.services import create_home_page
from tests.builders import blog_post, make_item, make_term, make_type

pytestmark = pytest.mark.django_db

SPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
SITE = "http://testserver"


def read(client: Client, path: str = "/sitemap.xml") -> dict[str, str]:
    """The addresses in a sitemap or an index, and when each was changed."""
    response = client.get(path)
    assert response.status_code == 200, path
    assert response.headers["Content-Type"] == "application/xml; charset=utf-8"
    root = ET.fromstring(response.content)
    found = [(entry.findtext(f"{SPACE}loc", ""), entry.findtext(f"{SPACE}lastmod", "")) for entry in root]
    assert len(found) == len(dict(found))
    return dict(found)


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    home = create_home_page()
    home.save_revision().publish()
    make_term(blog_post())
    make_term(blog_post(), name="Empty")
    make_item(title="One", data={"category": ["news"]})
    found = read(client)
    shown = {address.removeprefix(SITE) for address in found}
    assert {"/", "/blog-post", "/blog-post/one", "/blog-post/category/news"} <= shown
    assert "/blog-post/category/empty" not in shown
    assert all(address.startswith(f"{SITE}/") for address in found)
    today = f"{timezone.now():%Y}"
    assert all(found[SITE + path].startswith(today) for path in ("/", "/blog-post", "/blog-post/one", "/blog-post/category/news"))
    for path in shown:
        assert client.get(path).status_code == 200, path


def test_only_what_visitors_see_is_in_it(client: Client) -> None:
    create_home_page()
    make_term(blog_post())
    for status in ("draft", "unpublished", "scheduled"):
        later = {"published_at": timezone.now() + timedelta(days=1)} if status == "scheduled" else {}
        make_item(title=f"Hidden {status}", status=status, data={"category": ["news"]}, **later)
    owner = make_item(title="Parent")
    owned = make_item(title="Hidden owned", data={"category": ["news"]})
    ContentItem.objects.filter(pk=owned.pk).update(owner=owner)
    make_item(make_type(slug="notices", has_detail=False), title="Hidden notice")
    make_item(make_type(slug="hidden-shows", feature="events"), title="Show")
    found = {address.removeprefix(SITE) for address in read(client)}
    assert "/notices" in found
    assert {path for path in found if "hidden" in path or "category" in path} == set()
    switch_feature(name="events", on=True)
    assert f"{SITE}/hidden-shows/show" in read(client)


def test_pages_that_are_not_public_are_not_in_it(client: Client) -> None:
    page = create_home_page()
    assert f"{SITE}/" in read(client)
    page.unpublish()
    assert f"{SITE}/" not in read(client)
    assert HomePage.objects.exists()


def test_every_change_is_in_the_next_answer(client: Client) -> None:
    item = make_item(title="One")
    first = client.get("/sitemap.xml")
    condition = {"HTTP_IF_NONE_MATCH": first.headers["ETag"]}
    with CaptureQueriesContext(connection) as captured:
        assert client.get("/sitemap.xml", **condition).status_code == 304
    assert len(captured) == 1
    update_item(item=item, values={"slug": "two"})
    assert f"{SITE}/blog-post/two" in read(client)
    delete_item(item=item)
    assert f"{SITE}/blog-post/two" not in read(client)
    make_type(slug="new-type")
    assert f"{SITE}/new-type" in read(client)


def test_a_long_one_comes_in_parts(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    create_home_page()
    make_term(blog_post())
    for number in range(7):
        make_item(title=f"Post {number}", data={"category": ["news"]})
    make_item(make_type(slug="other"), title="Else")
    everything = read(client)
    monkeypatch.setattr(sitemap, "URLS_PER_FILE", 4)
    page_cache.clear()
    index = read(client)
    assert f"{SITE}/sitemap-content-blog-post.3.xml" in index
    assert f"{SITE}/sitemap-home-pages.1.xml" in index
    parts = [read(client, address.removeprefix(SITE)) for address in index]
    assert max(map(len, parts)) == 4
    assert {address: changed for each in parts for address, changed in each.items()} == everything
    assert sum(map(len, parts)) == len(everything)
    # Search engines read from an index when a part was last changed.
    changed = index[f"{SITE}/sitemap-content-blog-post.1.xml"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d", changed)


def test_a_full_part_stays_when_more_is_published(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sitemap, "URLS_PER_FILE", 3)
    for number in range(4):
        make_item(title=f"Post {number}")
    before = read(client, "/sitemap-content-blog-post.1.xml")
    make_item(title="Later")
    assert set(read(client, "/sitemap-content-blog-post.1.xml")) == set(before)
    assert f"{SITE}/blog-post/later" in read(client, "/sitemap-content-blog-post.2.xml")


@pytest.mark.parametrize(
    "path",
    [
        "/sitemap-content-blog-post.2.xml",
        "/sitemap-content-blog-post.0.xml",
        "/sitemap-content-nothing.1.xml",
        "/sitemap-content-hidden.1.xml",
        "/sitemap-.1.xml",
        "/sitemap-content-blog-post.xml",
        "/sitemap-content-blog-post." + "9" * 5000 + ".xml",
    ],
)
def test_other_parts_are_not_found(client: Client, path: str) -> None:
    make_item()
    make_type(slug="hidden", feature="events")
    assert client.get(path).status_code == 404


def test_what_cannot_be_an_address_is_escaped(client: Client) -> None:
    item = make_item(title="One")
    ContentItem.objects.filter(pk=item.pk).update(slug="a&b<c")
    assert f"{SITE}/blog-post/a&b<c" in read(client)


@pytest.mark.parametrize("limit", [10_000, 5])
@pytest.mark.both_databases
def test_it_reads_in_a_constant_number_of_statements(client: Client, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    # Versions; tallies, types, archives; restrictions, pages counted and read, items; versions again. A part reads no more.
    monkeypatch.setattr(sitemap, "URLS_PER_FILE", limit)
    create_home_page()
    make_term(blog_post())
    counts = []
    for wanted in (10, 20, 40):
        for number in range(ContentItem.objects.count(), wanted):
            make_item(title=f"Post {number}", data={"category": ["news"]})
        for path in ("/sitemap.xml", "/sitemap-content-blog-post.1.xml"):
            client.get(path)
            page_cache.clear()
            with CaptureQueriesContext(connection) as captured:
                client.get(path)
            counts.append(len(captured))
    assert len(set(counts[::2])) == len(set(counts[1::2])) == 1
    assert max(counts) <= 13


@pytest.mark.parametrize("debug", [False, True])
def test_robots_are_told_where_to_look(client: Client, settings: Any, debug: bool) -> None:
    settings.DEBUG = debug
    response = client.get("/robots.txt")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    lines = response.content.decode().splitlines()
    assert lines[0] == "User-agent: *"
    assert {"Disallow: /admin/", "Disallow: /api/", "Disallow: /*?q="} <= set(lines)
    assert f"Sitemap: {SITE}/sitemap.xml" in lines
    assert client.get("/robots.txt", HTTP_IF_NONE_MATCH=response.headers["ETag"]).status_code == 304
    assert client.head("/robots.txt").content == b""
    assert client.post("/robots.txt").status_code in {403, 405}
