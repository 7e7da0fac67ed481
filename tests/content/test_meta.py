"""Metadata of public pages for search engines and social networks."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.utils import translation

from cms_api.content.resources import meta
from cms_api.flags.services import set_setting
from home.services import create_home_page
from tests.builders import blog_post, field, make_image, make_item, make_term, make_type

pytestmark = pytest.mark.django_db


class Head:
    """The metadata of a page, by name."""

    def __init__(self, html: str) -> None:
        tags = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', html)
        self.values = {name: unescape(value) for name, value in tags}
        self.canonical = [unescape(url) for url in re.findall(r'<link rel="canonical" href="([^"]*)">', html)]
        self.feeds = re.findall(r'<link rel="alternate" type="([^"]+)" title="([^"]+)" href="([^"]+)">', html)
        scripts = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
        self.linked_data = {data.get("@type", ""): data for data in map(json.loads, scripts)}


def head(client: Client, path: str, status: int = 200) -> Head:
    response = client.get(path)
    assert response.status_code == status
    return Head(response.content.decode())


def rendered(given: Any, path: str = "/somewhere") -> Head:
    """The head of a page of another module, whose view gives this `meta`."""
    return Head(render_to_string("base.html", {"meta": given}, request=RequestFactory().get(path)))


def trail(page: Head) -> list[tuple[str, str]]:
    elements = page.linked_data["BreadcrumbList"]["itemListElement"]
    assert [each["position"] for each in elements] == list(range(1, len(elements) + 1))
    return [(each["name"], each["item"]) for each in elements]


def test_it_works(client: Client) -> None:
    image = make_image(width=1600, height=900)
    image.alt = "A heron by the weir"
    image.save()
    make_item(title="Otters", meta_title="Otters are back", meta_description="Seen twice.", featured_media_id=image.pk)
    page = head(client, "/blog-post/otters")
    values = page.values
    address = values["og:image"]
    assert re.fullmatch(r"http://testserver/media/\S+\.jpg", address)
    assert {name: value for name, value in values.items() if name.startswith(("og:", "twitter:"))} == {
        "og:type": "article",
        "og:site_name": "My site",
        "og:locale": "en_US",
        "og:title": "Otters are back",
        "og:description": "Seen twice.",
        "og:url": "http://testserver/blog-post/otters",
        "og:image": address,
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": "A heron by the weir",
        "twitter:card": "summary_large_image",
        "twitter:title": "Otters are back",
        "twitter:description": "Seen twice.",
        "twitter:image": address,
        "twitter:image:alt": "A heron by the weir",
    }
    assert values["article:published_time"]
    assert values["article:modified_time"]
    assert page.canonical == ["http://testserver/blog-post/otters"]


def test_an_article_names_its_author_and_dates(client: Client) -> None:
    make_item(title="Otters", data={"author": "Ines"}, featured_media_id=make_image().pk)
    page = head(client, "/blog-post/otters")
    data = page.linked_data["BlogPosting"]
    assert data["author"] == {"@type": "Person", "name": "Ines"}
    assert data["publisher"]["name"] == "My site"
    assert data["image"] == page.values["og:image"]
    assert {"datePublished", "dateModified", "headline", "mainEntityOfPage", "inLanguage"} <= set(data)
    assert trail(page) == [
        ("My site", "http://testserver/"),
        ("Blog", "http://testserver/blog-post"),
        ("Otters", "http://testserver/blog-post/otters"),
    ]


def test_without_an_author_the_site_has_written_it(client: Client) -> None:
    make_item(make_type(slug="notes"), title="Bins")
    data = head(client, "/notes/bins").linked_data["WebPage"]
    assert (data["author"]["@type"], data["author"]["name"]) == ("Organization", "My site")


@pytest.mark.parametrize("kind", ["Event", "MusicEvent", "Service", "Person"])
def test_what_is_no_work_has_neither_author_nor_dates_of_one(client: Client, kind: str) -> None:
    item_type = make_type(field("when", "datetime"), field("author", "text"), slug="things", schema_type=kind)
    make_item(item_type, title="It", data={"when": {"start": "2026-03-01T18:30"}, "author": "Ines"})
    page = head(client, "/things/it")
    data = page.linked_data[kind]
    assert {"author", "datePublished", "dateModified"} & set(data) == set()
    assert ("startDate" in data) == kind.endswith("Event")
    assert page.values["og:type"] == "website"
    assert "article:published_time" not in page.values


def test_lists_and_archives_know_their_place(client: Client) -> None:
    make_term(blog_post(), name="Old news")
    for number in range(13):
        make_item(title=f"Post {number}", data={"category": ["old-news"]})
    archive = head(client, "/blog-post/category/old-news?page=2&utm_source=x")
    assert archive.canonical == ["http://testserver/blog-post/category/old-news?page=2"]
    assert trail(archive)[1:] == [
        ("Blog", "http://testserver/blog-post"),
        ("Old news", "http://testserver/blog-post/category/old-news"),
    ]
    assert (archive.values["og:type"], archive.values["twitter:card"]) == ("website", "summary")
    assert "robots" not in archive.values


def test_feeds_are_announced(client: Client) -> None:
    make_term(blog_post())
    make_item(title="One", data={"category": ["news"]})
    of_type = [
        ("application/atom+xml", "Blog (Atom)", "http://testserver/feeds/blog-post.atom"),
        ("application/rss+xml", "Blog (RSS)", "http://testserver/feeds/blog-post.rss"),
    ]
    assert head(client, "/blog-post").feeds == head(client, "/blog-post/one").feeds == of_type
    archive = head(client, "/blog-post/category/news").feeds
    assert archive[0] == ("application/atom+xml", "News: Blog (Atom)", "http://testserver/feeds/blog-post/category/news.atom")
    assert archive[2:] == of_type
    for _, _, address in archive:
        assert client.get(address).status_code == 200
    make_type(slug="notices", has_detail=False)
    assert head(client, "/notices").feeds == []


def test_searches_and_missing_pages_stay_out_of_indexes(client: Client) -> None:
    blog_post()
    assert head(client, "/blog-post?q=x").values["robots"] == "noindex, follow"
    missing = head(client, "/nothing/", 404)
    assert missing.values["robots"] == "noindex"
    assert missing.canonical == []
    assert "robots" not in head(client, "/blog-post").values


HOSTILE = "</script><script>alert(1)</script><!-- \u2028 & \" '"


def test_nothing_breaks_out_of_the_head(client: Client) -> None:
    title = HOSTILE.replace("\u2028", "")
    item_type = blog_post()
    make_term(item_type, name=title[:90], slug="hostile")
    set_setting(key="site.name", value=title)
    make_item(title=title, slug="hostile", data={"author": title, "category": ["hostile"]})
    for path in ("/blog-post", "/blog-post/hostile", "/blog-post/category/hostile"):
        html = client.get(path).content.decode()
        assert "<script>" not in html
        assert "<!--" not in html
        assert trail(Head(html))[0][0] == title
    page = head(client, "/blog-post/hostile")
    assert page.values["og:title"] == page.values["twitter:title"] == title
    assert page.linked_data["BlogPosting"]["author"]["name"] == title
    given = meta.for_page(title=HOSTILE, path="/x")
    assert trail(rendered(given))[1] == (HOSTILE, "http://testserver/x")


@pytest.mark.parametrize(
    ("path", "canonical"),
    [
        ("/rooms/", "/rooms/"),
        ("/rooms/?page=3&utm_source=mail", "/rooms/?page=3"),
        ("/rooms/?page=1", "/rooms/"),
        ("/rooms/?page=-1&q=x", "/rooms/"),
        ("/rooms/?page=" + "9" * 5000, "/rooms/"),
        ("/r%C3%A4ume/%22%3E", "/r%C3%A4ume/%22%3E"),
    ],
)
def test_a_page_that_says_nothing_has_its_address(path: str, canonical: str) -> None:
    page = rendered({}, path)
    assert page.canonical == [f"http://testserver{canonical}"]
    assert (page.values["og:url"], page.values["og:title"]) == (f"http://testserver{canonical}", "My site")
    assert page.linked_data == {}


def test_a_page_of_the_site_says_where_it_hangs() -> None:
    image = make_image()
    given = meta.for_page(
        title="Rooms", path="/about/rooms/", description="Two halls.", featured=image, above=[("About", "/about/")], unlisted=True
    )
    page = rendered(given)
    assert page.canonical == ["http://testserver/about/rooms/"]
    assert trail(page)[1:] == [("About", "http://testserver/about/"), ("Rooms", "http://testserver/about/rooms/")]
    assert (page.values["robots"], page.values["description"]) == ("noindex, follow", "Two halls.")
    assert page.values["og:image"].startswith("http://testserver/media/")


def test_the_home_page_says_who_the_site_is() -> None:
    blog_post()
    set_setting(key="site.name", value="Millrace")
    page = rendered(meta.for_home(description="Arts by the river."), "/")
    organization, website = page.linked_data[""]["@graph"]
    assert (organization["@type"], organization["name"], organization["url"]) == (
        "Organization",
        "Millrace",
        "http://testserver/",
    )
    assert (website["@type"], website["name"]) == ("WebSite", "Millrace")
    assert website["publisher"] == {"@id": organization["@id"]}
    assert page.values["og:title"] == "Millrace"
    assert "http://testserver/feeds/blog-post.atom" in [url for _, _, url in page.feeds]


def test_the_home_page_has_its_address(client: Client) -> None:
    create_home_page()
    assert head(client, "/?utm_source=mail").canonical == ["http://testserver/"]


@pytest.mark.parametrize(("language", "shown"), [("en", "en_US"), ("de", "de_DE"), ("pt-br", "pt_BR"), ("ja", "ja_JP")])
def test_the_language_has_a_territory(language: str, shown: str) -> None:
    with translation.override(language):
        assert rendered({}).values["og:locale"] == shown
