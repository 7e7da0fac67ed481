"""RSS and Atom feeds of content types and their terms."""

import xml.etree.ElementTree as ET
from datetime import timedelta
from typing import Any

import feedparser
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, update_item
from cms_api.content.services.types import save_term, save_type
from cms_api.flags.services import set_setting, switch_feature
from cms_api.http import page_cache
from tests.builders import blog_post, field, make_image, make_item, make_term, make_type

pytestmark = pytest.mark.django_db

FORMATS = ("rss", "atom")


def read(client: Client, path: str) -> Any:
    """A feed as readers see it; whatever a parser would have to guess is an error."""
    response = client.get(path)
    assert response.status_code == 200, path
    ET.fromstring(response.content)
    parsed = feedparser.parse(response.content, response_headers={"content-type": response["Content-Type"]})
    assert not parsed.bozo, parsed.bozo_exception
    return parsed


@pytest.mark.parametrize("kind", FORMATS)
def test_it_works(client: Client, kind: str) -> None:
    make_term(blog_post(), name="Old news")
    make_item(
        title="Spring opening",
        excerpt="We open on Monday.",
        data={"body": "<p>At <strong>nine</strong>.</p>", "author": "Ines", "category": ["old-news"]},
    )
    set_setting(key="site.name", value="Millrace")
    found = read(client, f"/feeds/blog-post.{kind}")
    assert found.version == {"rss": "rss20", "atom": "atom10"}[kind]
    assert (found.feed.title, found.feed.subtitle) == ("Blog – Millrace", "News and stories.")
    assert found.feed.link == "http://testserver/blog-post"
    assert found.feed.language == "en"
    (entry,) = found.entries
    assert (entry.title, entry.link) == ("Spring opening", "http://testserver/blog-post/spring-opening")
    assert (entry.summary, entry.author) == ("We open on Monday.", "Ines")
    assert entry.content[0].value == "<p>At <strong>nine</strong>.</p>"
    assert [tag.term for tag in entry.tags] == ["Old news"]
    assert entry.published_parsed
    assert entry.updated_parsed


def test_formats_say_what_they_are_and_where_they_stand(client: Client) -> None:
    blog_post()
    for kind in FORMATS:
        response = client.get(f"/feeds/blog-post.{kind}")
        assert response.headers["Content-Type"] == f"application/{kind}+xml; charset=utf-8"
        links = read(client, f"/feeds/blog-post.{kind}").feed.links
        assert [link.href for link in links if link.rel == "self"] == [f"http://testserver/feeds/blog-post.{kind}"]
        assert client.head(f"/feeds/blog-post.{kind}").content == b""
        assert client.post(f"/feeds/blog-post.{kind}").status_code in {403, 405}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("title", ["A & B < C > D", "</title><script>", "&amp; &lt;b&gt;", "山茶花 🦆 «été»", "]]>"])
def test_every_title_arrives_as_it_was_written(client: Client, kind: str, title: str) -> None:
    make_item(title=title, slug="it", data={"author": title})
    root = ET.fromstring(client.get(f"/feeds/blog-post.{kind}").content)
    texts = [element.text for element in root.iter() if element.text]
    assert texts.count(title) == 2


@pytest.mark.parametrize("kind", FORMATS)
def test_what_xml_cannot_hold_is_left_out(client: Client, kind: str) -> None:
    dirty = "a\x08\x0b\x1f\ufffe\uffffb\tc"
    item = make_item(slug="it", data={"author": "A"})
    ContentItem.objects.filter(pk=item.pk).update(title=dirty, data={"author": dirty, "body": f"<p>{dirty}</p>"})
    texts = [element.text for element in ET.fromstring(client.get(f"/feeds/blog-post.{kind}").content).iter()]
    assert texts.count("ab\tc") == 2
    assert "<p>ab\tc</p>" in texts


def test_only_the_newest_published_items_are_in_it(client: Client) -> None:
    for number in range(32):
        make_item(title=f"Post {number}", published_at=timezone.now() - timedelta(days=number))
    make_item(title="Hidden", status="draft")
    owner = ContentItem.objects.first()
    ContentItem.objects.filter(title="Post 1").update(owner=owner)
    titles = [entry.title for entry in read(client, "/feeds/blog-post.atom").entries]
    assert titles == [f"Post {number}" for number in range(32) if number != 1][:30]


def test_addresses_in_the_content_are_absolute(client: Client) -> None:
    body = (
        '<p>Say href="/x" and <a href="/about?a=1&amp;b=2" title=\'src="/t"\'>read</a> '
        '<a href="#top">up</a> <a href="mailto:a@example.org">write</a> <a href="https://example.org/">go</a> '
        '<img src="/media/x.jpg" alt="a > b"></p>'
    )
    make_item(title="Links", data={"body": body})
    html = read(client, "/feeds/blog-post.atom").entries[0].content[0].value
    assert 'href="/x"' in html
    assert 'href="http://testserver/about?a=1&amp;b=2"' in html
    assert 'href="http://testserver/blog-post/links#top"' in html
    assert 'href="mailto:a@example.org"' in html
    assert 'href="https://example.org/"' in html
    assert 'src="http://testserver/media/x.jpg"' in html


def test_a_type_with_several_rich_texts_sends_summaries(client: Client) -> None:
    kind = make_type(field("one", "richtext_tiptap"), field("two", "richtext_tiptap"), slug="pairs")
    make_item(kind, data={"one": "<p>First & foremost</p>", "two": "<p>Second</p>"})
    (entry,) = read(client, "/feeds/pairs.atom").entries
    assert entry.summary == "First &amp; foremost"
    assert "content" not in entry


@pytest.mark.parametrize("kind", FORMATS)
def test_the_featured_picture_is_enclosed(client: Client, kind: str) -> None:
    image = make_image("heron.png")
    make_item(title="Heron", featured_media_id=image.pk)
    (enclosure,) = read(client, f"/feeds/blog-post.{kind}").entries[0].enclosures
    assert enclosure.href == f"http://testserver{image.file.url}"
    assert (enclosure.type, enclosure.length) == ("image/png", str(image.file_size or 0))


def test_an_item_keeps_its_name_when_its_address_changes(client: Client) -> None:
    item = make_item(title="Before")
    ids = [read(client, f"/feeds/blog-post.{kind}").entries[0].id for kind in FORMATS]
    update_item(item=item, values={"slug": "after", "data": {"title": "After"}})
    for kind, before in zip(FORMATS, ids, strict=True):
        (entry,) = read(client, f"/feeds/blog-post.{kind}").entries
        assert (entry.title, entry.link) == ("After", "http://testserver/blog-post/after")
        assert entry.id == before
    number = item.type.external_number(item.pk, item.created_at)
    assert ids[0] == ids[1] == f"tag:testserver,{item.created_at:%Y-%m-%d}:content-item/{number}"


def test_a_term_has_feeds_of_its_own(client: Client) -> None:
    make_term(blog_post(), name="Old news")
    make_item(title="Tagged", data={"category": ["old-news"]})
    make_item(title="Draft", status="draft", data={"category": ["old-news"]})
    make_item(title="Other")
    for kind in FORMATS:
        found = read(client, f"/feeds/blog-post/category/old-news.{kind}")
        assert found.feed.title == "Old news: Blog – My site"
        assert found.feed.link == "http://testserver/blog-post/category/old-news"
        assert [entry.title for entry in found.entries] == ["Tagged"]


@pytest.mark.both_databases
def test_items_of_one_moment_stand_in_the_order_of_the_list(client: Client) -> None:
    make_term(blog_post())
    moment = timezone.now() - timedelta(days=1)
    for number in range(3):
        make_item(title=f"Post {number}", published_at=moment, data={"category": ["news"]})
    for path in ("/feeds/blog-post.atom", "/feeds/blog-post/category/news.atom"):
        assert [entry.title for entry in read(client, path).entries] == ["Post 2", "Post 1", "Post 0"]


def test_what_has_no_pages_has_no_feeds(client: Client) -> None:
    blog_post()
    make_type(slug="notices", has_detail=False)
    make_type(slug="shows", feature="events")
    paths = ["notices", "shows", "nothing", "blog-post/category/nothing", "blog-post/nothing/news", "blog-post/x"]
    for path in paths:
        assert client.get(f"/feeds/{path}.atom").status_code == 404, path
    assert client.get("/feeds/blog-post.json").status_code == 404
    switch_feature(name="events", on=True)
    assert client.get("/feeds/shows.atom").status_code == 200


def test_a_reader_is_told_when_nothing_is_new(client: Client) -> None:
    kept, other = make_item(title="Kept"), make_item(make_type(slug="other"))
    for kind in FORMATS:
        path = f"/feeds/blog-post.{kind}"
        first = client.get(path)
        condition = {"HTTP_IF_NONE_MATCH": first.headers["ETag"]}
        assert client.get(path, **condition).status_code == 304
        assert client.get(path, HTTP_IF_MODIFIED_SINCE=first.headers["Last-Modified"]).status_code == 304
        assert client.get(path, HTTP_IF_MODIFIED_SINCE="Thu, 01 Jan 2026 00:00:00 GMT").status_code == 200
        assert client.get(path, HTTP_IF_MODIFIED_SINCE="yesterday").status_code == 200
        update_item(item=other, values={"data": {"title": kind}})
        with CaptureQueriesContext(connection) as captured:
            assert client.get(path, **condition).status_code == 304
        assert len(captured) == 2
        update_item(item=kept, values={"data": {"title": f"Kept {kind}"}})
        assert f"Kept {kind}" in client.get(path, **condition).content.decode()


def test_every_change_is_in_the_next_answer(client: Client) -> None:
    item_type = blog_post()
    term = make_term(item_type)
    item = make_item(title="One", data={"category": ["news"]})
    path = "/feeds/blog-post.atom"
    assert b'term="News"' in client.get(path).content
    save_term(item_type=item_type, taxonomy="category", name="Views", term=term, slug="news")
    assert b'term="Views"' in client.get(path).content
    save_type(item_type=item_type, values={"name_plural": "Notebook"})
    assert read(client, path).feed.title == "Notebook – My site"
    delete_item(item=item)
    assert read(client, path).entries == []


def test_an_empty_feed_is_the_same_every_time(client: Client) -> None:
    blog_post()
    tags = set()
    for _ in range(2):
        page_cache.clear()
        tags.add(client.get("/feeds/blog-post.rss").headers["ETag"])
    assert len(tags) == 1


@pytest.mark.both_databases
def test_a_feed_reads_in_a_constant_number_of_statements(client: Client) -> None:
    # Versions, the items with their pictures, tags, versions again.
    make_term(blog_post())
    counts = []
    for wanted in (1, 8, 16):
        for number in range(ContentItem.objects.count(), wanted):
            make_item(title=f"Post {number}", featured_media_id=make_image().pk, data={"category": ["news"]})
        for path in ("/feeds/blog-post.rss", "/feeds/blog-post/category/news.atom"):
            client.get(path)
            page_cache.clear()
            with CaptureQueriesContext(connection) as captured:
                client.get(path)
            counts.append(len(captured))
    assert counts == [4] * 6
