"""The public pages of content types: lists, archives, details, and what they tell machines."""

import json
import re
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from PIL import Image
from wagtail.images import get_image_model

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.core import versions
from cms_api.fields import FIELD_TYPES
from cms_api.flags.services import set_setting
from cms_api.http import page_cache
from tests.builders import blog_post, field, make_item, make_term, make_type

pytestmark = pytest.mark.django_db


def make_image(title: str = "A heron", **changes: Any) -> Any:
    target = BytesIO()
    Image.new("RGB", (700, 450), "#2a3bd0").save(target, "PNG")
    values = {"title": title, "alt": f"{title} by the weir", "file": ContentFile(target.getvalue(), name="heron.png")}
    return get_image_model().objects.create(**values | {"width": 700, "height": 450} | changes)


def page(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, (path, response.status_code)
    return response.content.decode()


def linked_data(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


def show(client: Client, *fields: dict[str, Any], **data: Any) -> str:
    """The detail page of an item of a new type with the given fields."""
    item = make_item(make_type(*fields), data=data)
    return page(client, f"/{item.type.slug}/{item.slug}")


def test_it_works(client: Client) -> None:
    make_item(
        title="Spring opening", excerpt="We open on Monday.", data={"body": "<p>At <strong>nine</strong>.</p>", "author": "Ines"}
    )
    listed = page(client, "/blog-post")
    assert '<a href="/blog-post/spring-opening">Spring opening</a>' in listed
    assert "We open on Monday." in listed
    detail = page(client, "/blog-post/spring-opening")
    assert "<h1>Spring opening</h1>" in detail
    assert "<p>At <strong>nine</strong>.</p>" in detail
    assert "<dt>Author</dt><dd>Ines</dd>" in detail


@pytest.mark.parametrize(
    "path",
    ["/blog-post", "/blog-post/one", "/blog-post/category/news"],
)
def test_head_is_answered(client: Client, path: str) -> None:
    make_term(blog_post())
    make_item(title="One", data={"category": ["news"]})
    assert page(client, path)
    head = client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert client.head(f"{path}/").status_code == 301
    assert client.put(path).status_code in {403, 405}


def test_only_what_is_published_is_shown(client: Client) -> None:
    later = timezone.now() + timedelta(days=3)
    make_item(title="Hidden draft", status="draft")
    make_item(title="Hidden later", status="scheduled", published_at=later)
    make_item(title="Hidden again", status="unpublished")
    assert "Hidden" not in page(client, "/blog-post")
    for slug in ("hidden-draft", "hidden-later", "hidden-again", "nothing"):
        assert "<h1>Page not found</h1>" in page(client, f"/blog-post/{slug}", 404)


def test_a_type_without_detail_pages_has_none(client: Client) -> None:
    item = make_item(make_type(has_detail=False, slug="notices"), title="Bins on Tuesday")
    listed = page(client, "/notices")
    assert "Bins on Tuesday" in listed
    assert f"/notices/{item.slug}" not in listed
    page(client, f"/notices/{item.slug}", 404)


@pytest.mark.parametrize("path", ["/blog-post", "/blog-post/one", "/blog-post/category/news"])
def test_strange_queries_are_harmless(client: Client, path: str) -> None:
    make_term(blog_post())
    make_item(title="One", data={"category": ["news"]})
    for query in (
        "?page=abc",
        "?page=999",
        "?page=-1",
        "?page=" + "9" * 5000,
        "?q=%00",
        "?q=%ED%A0%80%FF",
        "?q=" + "x" * 5000,
        "?q=%22*)",
        "?q=%27%20OR%201",
    ):
        page(client, path + query)


@pytest.mark.parametrize(
    "path",
    [
        "/blog-post/%00",
        "/blog-post/category/%00",
        "/blog-post/nothing/news",
        "/blog-post/category/nothing",
        "/%F0%9F%A6%86",
        "/nothing/",
    ],
)
def test_strange_paths_are_not_found(client: Client, path: str) -> None:
    blog_post()
    page(client, path, 404)


def test_hostile_text_is_text(client: Client) -> None:
    hostile = "</script><script>alert(1)</script>"
    item = make_item(
        title=hostile, slug="hostile", excerpt=f'" onload="{hostile}', meta_description=hostile, data={"author": hostile}
    )
    for path in ("/blog-post", "/blog-post/hostile", "/blog-post?q=" + hostile):
        html = page(client, path)
        assert "<script>" not in html
        assert '" onload=' not in html
    data = linked_data(page(client, "/blog-post/hostile"))
    assert data["name"] == item.title == hostile


def test_the_head_of_a_detail_page(client: Client) -> None:
    image = make_image()
    make_item(title="Otters", meta_title="Otters are back", meta_description="Seen twice.", featured_media_id=image.pk)
    html = page(client, "/blog-post/otters")
    assert "<title>Otters are back \u2013 My site</title>" in html
    assert '<meta name="description" content="Seen twice.">' in html
    assert '<link rel="canonical" href="http://testserver/blog-post/otters">' in html
    assert '<meta property="og:title" content="Otters are back">' in html
    assert re.search(r'<meta property="og:image" content="http://testserver/media/[^"]+\.jpg">', html)
    data = linked_data(html)
    assert (data["@type"], data["name"], data["headline"]) == ("BlogPosting", "Otters", "Otters")
    assert data["image"].startswith("http://testserver/media/")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00", data["datePublished"])


def test_the_head_of_a_list(client: Client) -> None:
    make_term(blog_post())
    for number in range(13):
        make_item(title=f"Post {number}", data={"category": ["news"]})
    assert '<link rel="canonical" href="http://testserver/blog-post">' in page(client, "/blog-post")
    assert '<link rel="canonical" href="http://testserver/blog-post?page=2">' in page(client, "/blog-post?page=2")
    assert '<link rel="canonical" href="http://testserver/blog-post/category/news">' in page(client, "/blog-post/category/news")
    searched = page(client, "/blog-post?q=post")
    assert '<meta name="robots" content="noindex, follow">' in searched
    assert 'href="?q=post&amp;page=2"' in searched


@pytest.mark.both_databases
def test_a_list_is_searched_and_filtered(client: Client) -> None:
    make_term(blog_post(), name="Old news")
    make_item(title="Apples and pears", data={"category": ["old-news"]})
    make_item(title="Plums")
    found = page(client, "/blog-post?q=app")
    assert "Apples and pears" in found
    assert "Plums" not in found
    assert "1 result for" in found
    assert "Nothing matches your search" in page(client, "/blog-post?q=quince")
    archive = page(client, "/blog-post/category/old-news")
    assert "<h1>Old news</h1>" in archive
    assert "Apples and pears" in archive
    assert "Plums" not in archive


def test_an_empty_list_says_so(client: Client) -> None:
    blog_post()
    assert "Nothing here yet" in page(client, "/blog-post")


@pytest.mark.both_databases
def test_neighbours_follow_the_order_of_the_list(client: Client) -> None:
    for days, title in ((3, "Oldest"), (2, "Middle"), (1, "Newest")):
        make_item(title=title, published_at=timezone.now() - timedelta(days=days))
    html = page(client, "/blog-post/middle")
    assert re.search(r'rel="prev" href="/blog-post/oldest"', html)
    assert re.search(r'rel="next" href="/blog-post/newest"', html)
    assert 'rel="prev"' not in page(client, "/blog-post/oldest")


def test_a_featured_picture_has_sizes_and_words(client: Client) -> None:
    make_item(title="Heron", featured_media_id=make_image(caption="Seen at dawn.").pk)
    html = page(client, "/blog-post/heron")
    assert re.search(
        r'<img src="/media/[^"]+" srcset="[^"]+ 640w, [^"]+ 700w" sizes="[^"]+" width="700" height="450" alt="A heron by [^"]+"',
        html,
    )
    assert "Seen at dawn." in html


def test_a_picture_whose_file_is_gone_is_left_out(client: Client) -> None:
    image = make_image()
    image.file.storage.delete(image.file.name)
    make_item(title="Heron", featured_media_id=image.pk, data={"body": f'<p><img src="/media/{image.file.name}" alt=""></p>'})
    for path in ("/blog-post", "/blog-post/heron"):
        page(client, path)


def test_every_field_type_has_its_presentation() -> None:
    from cms_api.content.resources.fields import find_unpresented

    assert find_unpresented(FIELD_TYPES) == set()


OPTIONS = [{"value": "a", "label": "First choice"}, {"value": "b", "label": "Second choice"}]


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("text", "a <b>", "<dd>a &lt;b&gt;</dd>"),
        ("textarea", "one\ntwo", "one<br>two"),
        ("richtext_tiptap", "<p>Rich</p>", "<p>Rich</p>"),
        ("number", 9.25, "<dd>9.25</dd>"),
        ("integer", 1908, "<dd>1908</dd>"),
        ("integer", 1234567, "<dd>1,234,567</dd>"),
        ("boolean", False, "<dd>No</dd>"),
        ("select", "b", "<dd>Second choice</dd>"),
        ("radio", "a", "<dd>First choice</dd>"),
        ("checkbox", ["a", "b"], "<dd>First choice, Second choice</dd>"),
        ("date", "2026-03-01", '<time datetime="2026-03-01">March 1, 2026</time>'),
        ("time", "18:30", '<time datetime="18:30">6:30\xa0PM</time>'),
        ("url", "https://www.example.org/a/", '<a class="break" href="https://www.example.org/a/">example.org/a</a>'),
        ("email", "a@example.org", 'href="mailto:a@example.org"'),
        ("phone", "+44 1632 960 118", 'href="tel:+441632960118"'),
        ("phone", "01632 960119 x4", 'href="tel:01632960119;ext=4"'),
        ("color", "#2A3BD0", 'fill="#2a3bd0"'),
        ("address", {"street": "4 Weir Lane", "city": "Harrowford"}, "<address>4 Weir Lane<br>Harrowford</address>"),
        ("image", "media/2026/03/x.jpg", '<img src="/media/media/2026/03/x.jpg" alt="Field" loading="lazy"'),
        ("gallery", ["https://example.org/x.jpg", "a b.jpg"], '<a href="/media/a%20b.jpg">'),
        ("file", "media/2026/03/x.pdf", 'href="/media/media/2026/03/x.pdf">x.pdf</a> <span class="muted">PDF</span>'),
    ],
)  # fmt: skip
def test_a_field_is_shown_in_the_way_of_its_type(client: Client, kind: str, value: Any, shown: str) -> None:
    options = {"options": OPTIONS} if kind in {"select", "radio", "checkbox"} else {}
    # A textarea above all other prose would stand under the title.
    before = [field("prose", "richtext_tiptap")] if kind == "textarea" else []
    assert shown in show(client, *before, field("field", kind, **options), field=value)


EVENING = "2026-03-01T18:30"
WEEKLY = {"frequency": "weekly", "interval": 2, "weekdays": ["mon", "fri"], "until": "2026-06-03"}
MONTHLY = {"frequency": "monthly", "monthly": "weekday", "count": 4}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"start": EVENING}, "Sunday, March 1, 2026, 6:30\xa0PM"),
        ({"start": EVENING, "end": "2026-03-01T20:00"}, "Sunday, March 1, 2026, 6:30\xa0PM - 8:00\xa0PM"),
        ({"start": EVENING, "end": "2026-03-02T20:00"}, "Sunday, March 1, 2026, 6:30\xa0PM - Monday, March 2, 2026, 8:00\xa0PM"),
        ({"start": "2026-03-01", "all_day": True}, "Sunday, March 1, 2026"),
        ({"start": "2026-03-01", "end": "2026-03-03", "all_day": True}, "Sunday, March 1, 2026 - Tuesday, March 3, 2026"),
        ({"start": EVENING, "tz": "America/New_York"}, "Sunday, March 1, 2026, 6:30\xa0PM America/New York (EST)"),
        ({"start": EVENING, "tz": "Europe/Paris"}, "Sunday, March 1, 2026, 6:30\xa0PM"),
        ({"start": EVENING, "repeat": WEEKLY}, "6:30\xa0PM Every 2 weeks on Monday and Friday, until June 3, 2026"),
        ({"start": "2026-03-29T09:00", "repeat": MONTHLY}, "9:00\xa0AM Every month on the last Sunday, 4 times"),
    ],
)
def test_when_it_takes_place(client: Client, value: Any, shown: str) -> None:
    found = re.search("<dt>When</dt><dd>(.*?)</dd>", show(client, field("when", "datetime"), when=value))
    assert found
    text = re.sub(r"<[^>]+>", "", found[1]).replace("&nbsp;\u2013", " -")
    assert text.endswith(shown)
    assert f'<time datetime="{value["start"]}' in found[1]


def test_opening_hours_are_a_table(client: Client) -> None:
    html = show(client, field("hours", "hours"), hours={"mon": [{"open": "09:00", "close": "17:30"}], "sun": []})
    monday = re.search(r'<th scope="row">Monday</th><td>(.*?)</td>', html)
    sunday = re.search(r'<th scope="row">Sunday</th><td>(.*?)</td>', html)
    assert monday
    assert sunday
    assert re.sub(r"<[^>]+>", "", monday[1]) == "9:00\xa0AM \u2013 5:30\xa0PM"
    assert "Closed" in sunday[1]


def test_library_pictures_of_a_gallery_have_their_words(client: Client) -> None:
    image = make_image(caption="From the bridge.")
    html = show(client, field("gallery", "gallery"), gallery=[image.file.name])
    assert 'alt="A heron by the weir"' in html
    assert "From the bridge." in html
    assert "srcset=" in html


def test_relations_lead_only_to_what_is_published(client: Client) -> None:
    shown, hidden = make_item(title="A public post"), make_item(title="A private draft", status="draft")
    html = show(client, field("related", "relation", multiple=True), related=[hidden.pk, shown.pk])
    assert '<a href="/blog-post/a-public-post">A public post</a>' in html
    assert "A private draft" not in html


def test_terms_lead_to_their_archive(client: Client) -> None:
    make_term(blog_post(), name="Old news")
    item = make_item(data={"category": ["old-news"]})
    assert 'href="/blog-post/category/old-news">Old news</a>' in page(client, f"/blog-post/{item.slug}")


def test_an_unsaved_item_is_previewed(rf: Any) -> None:
    item = ContentItem(type=blog_post(), title="Not yet", slug="not-yet", data={"title": "Not yet", "body": "<p>Soon.</p>"})
    response = item.serve_preview(rf.get("/"), "").render()
    assert "<p>Soon.</p>" in response.content.decode()


def test_values_of_a_field_that_changed_its_type_are_skipped(client: Client) -> None:
    item = make_item(
        make_type(
            *(field(kind, kind, **({"options": OPTIONS} if FIELD_TYPES[kind].takes_options else {})) for kind in FIELD_TYPES)
        )
    )
    for strange in ("text", 5, True, ["a", {}], {"start": "x"}, {"street": {}}):
        ContentItem.objects.filter(pk=item.pk).update(data={"title": "T", **dict.fromkeys(FIELD_TYPES, strange)})
        page(client, f"/{item.type.slug}/{item.slug}")
        page(client, f"/{item.type.slug}")


@pytest.mark.parametrize("layout", ["content-detail", "content-wide", "no-such-layout", "../../etc/passwd"])
def test_a_layout_is_chosen_by_setting(client: Client, layout: str) -> None:
    item = make_item()
    set_setting(key="detail_layout.default.blog-post", value=layout)
    html = page(client, f"/blog-post/{item.slug}")
    assert ("detail--wide" in html) == (layout == "content-wide")


@pytest.mark.parametrize("layout", ["content-list", "content-grid", "no-such-layout"])
def test_a_list_has_layouts_too(client: Client, layout: str) -> None:
    make_item(title="Here")
    set_setting(key="index_layout.default.blog-post", value=layout)
    html = page(client, "/blog-post")
    assert "Here" in html
    assert ("cards--grid" in html) == (layout == "content-grid")


def test_dates_are_in_the_sites_time_zone(client: Client) -> None:
    make_item(title="Late", published_at=timezone.now().replace(year=2026, month=1, day=1, hour=23, minute=30))
    set_setting(key="site.timezone", value="Pacific/Auckland")
    html = page(client, "/blog-post/late")
    assert "January 2, 2026" in html
    assert re.search(r'<time datetime="2026-01-02T12:30:\d\d', html)


def test_the_server_error_page_needs_nothing(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        assert "Something went wrong" in render_to_string("500.html")
    blog_post()
    monkeypatch.setattr("cms_api.content.views.pages.list_context", lambda *_, **__: 1 / 0)
    client.raise_request_exception = False
    assert "Something went wrong" in page(client, "/blog-post", 500)


def _statements(client: Client, path: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Count the statements of rendering a page in a process that knows nothing yet and in one that has rendered it before.

    Check that showing it again takes one.
    """
    page(client, path)
    counts = []
    for known in ({}, versions._cached):
        monkeypatch.setattr(versions, "_cached", known)
        page_cache.clear()
        with CaptureQueriesContext(connection) as captured:
            page(client, path)
        counts.append(len(captured))
    with CaptureQueriesContext(connection) as again:
        page(client, path)
    assert len(again) == 1
    return counts[0], counts[1]


@pytest.mark.both_databases
def test_a_list_reads_in_a_constant_number_of_statements(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    # Versions, the items with their pictures, tags, versions again. Totals and renditions are known from the first time; so are
    # the types, the settings and the theme.
    make_term(blog_post())
    counts = []
    for wanted in (1, 6, 7):
        for number in range(ContentItem.objects.count(), wanted):
            make_item(title=f"Post {number}", featured_media_id=make_image().pk, data={"category": ["news"]})
        paths = ("/blog-post", "/blog-post?q=post", "/blog-post/category/news")
        counts.append([_statements(client, path, monkeypatch) for path in paths])
    assert counts == [[(11, 4), (11, 4), (11, 4)]] * 3


@pytest.mark.both_databases
def test_a_detail_page_reads_in_a_constant_number_of_statements(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    # Versions, the item, pictures by path, related items, the pictures' renditions, tags, versions again. Besides what all pages
    # need, the two neighbours are known from the first time.
    kind = make_type(field("gallery", "gallery"), field("related", "relation", multiple=True))
    item = make_item(kind, title="Whole", featured_media_id=make_image().pk)
    counts = []
    for wanted in (1, 4, 5):
        pictures = [make_image() for _ in range(wanted)]
        related = [make_item(featured_media_id=image.pk).pk for image in pictures]
        data = {"gallery": [image.file.name for image in pictures], "related": related}
        update_item(item=item, values={"data": data})
        counts.append(_statements(client, f"/{kind.slug}/whole", monkeypatch))
    assert counts == [(15, 7)] * 3
