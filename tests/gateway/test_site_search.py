"""The search of the whole site: what it finds, in what order, and what it never shows."""

import re
from collections.abc import Sequence
from datetime import timedelta
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from wagtail.models import Page, PageViewRestriction

from cms_api.content.models import ContentItem
from cms_api.content.services.bulk import create_items
from cms_api.content.services.items import delete_item, update_item
from cms_api.content.services.types import save_type
from cms_api.core.module import Module, Pages
from cms_api.flags.services import switch_feature
from cms_api.http import page_cache
from cms_api.text.site_search import Candidate, Result
from home.models import LandingPage, RecordTemplate, StandardPage
from home.services import create_home_page
from tests.builders import blog_post, field, make_item, make_page, make_shared_row, make_type

pytestmark = pytest.mark.django_db

TEXT = {"type": "text", "value": {"heading": "About us", "text": "<p>We repair <b>accordions</b> and concertinas.</p>"}}


def search(client: Client, words: str, **more: Any) -> str:
    response = client.get("/search", {"q": words, **more})
    assert response.status_code == 200
    return response.content.decode()


def titles(html: str) -> list[str]:
    """The titles of the results, in order."""
    found = re.findall(r'<h2 class="card__title"><a href="[^"]*">(.*?)</a></h2>', html)
    return [unescape(re.sub("</?mark>", "", title)) for title in found]


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    make_item(title="Heron watch", excerpt="At the weir.", published_at=timezone.now() - timedelta(days=9))
    make_item(title="Fish", data={"body": "<p>Dinner of a <b>heron</b>.</p>"})
    make_page(TEXT, title="Herons & co")
    make_item(title="Something else")
    html = search(client, "HÉRON")
    assert titles(html) == ["Heron watch", "Herons & co", "Fish"]
    assert "Dinner of a <mark>heron</mark>." in html
    assert '<a href="/herons-co/"><mark>Herons</mark> &amp; co</a>' in html
    assert "3 results" in html
    assert '<meta name="robots" content="noindex, follow">' in html


def test_every_word_must_occur_and_the_beginning_is_enough(client: Client) -> None:
    make_item(title="Accordion repair")
    assert "1 result " in search(client, "repa acc")
    assert "Nothing matches" in search(client, "accordion tuning")


def test_words_in_the_title_count_more_and_then_later_ones(client: Client) -> None:
    now = timezone.now()
    make_item(title="Opening hours", published_at=now - timedelta(days=30))
    make_item(title="News", excerpt="The hours of our opening have changed.", published_at=now)
    make_item(title="Opening", excerpt="From now on, the hours are longer.", published_at=now - timedelta(days=9))
    make_item(title="Opening hours in winter", published_at=now - timedelta(days=2))
    assert titles(search(client, "opening hours")) == ["Opening hours", "Opening hours in winter", "Opening", "News"]


def test_items_that_visitors_do_not_see(client: Client) -> None:
    make_item(title="Heron draft", status="draft")
    make_item(title="Heron soon", status="scheduled", published_at=timezone.now() + timedelta(days=1))
    make_item(title="Heron gone", status="unpublished")
    make_item(make_type(has_detail=False), title="Heron without a page")
    make_item(make_type(feature="shop"), title="Heron for sale")
    weekly = {"start": "2027-03-01T18:00", "tz": "UTC", "repeat": {"frequency": "weekly", "count": 5}}
    make_item(make_type(field("when", "datetime", facet=True)), title="Heron weekly", data={"when": weekly})
    assert titles(search(client, "heron")) == ["Heron weekly"]
    switch_feature(name="shop", on=True)
    assert set(titles(search(client, "heron"))) == {"Heron weekly", "Heron for sale"}


def test_a_draft_of_a_published_item_or_page(client: Client) -> None:
    item = make_item(title="Merger")
    item.title = "Secret heron"
    item.save_revision()
    page = make_page(TEXT, title="About")
    page.title = "Secret heron"
    page.save_revision()
    assert titles(search(client, "heron")) == []
    page.get_latest_revision().publish()
    assert titles(search(client, "heron")) == ["Secret heron"]


def test_pages_that_visitors_do_not_see(client: Client) -> None:
    make_page(TEXT, title="Draft accordion", live=False)
    closed = make_page(TEXT, title="Closed accordion")
    closed.add_child(instance=LandingPage(title="Accordion below", rows=[TEXT]))
    record = {"type": "record", "value": {}}
    make_page(TEXT, record, title="Accordion template", kind=RecordTemplate, record_type=blog_post())
    assert set(titles(search(client, "accordion"))) == {"Closed accordion", "Accordion below"}
    restriction = PageViewRestriction.objects.create(page=closed, restriction_type="login")
    assert titles(search(client, "accordion")) == []
    restriction.delete()
    assert len(titles(search(client, "accordion"))) == 2
    closed.unpublish()
    assert titles(search(client, "accordion")) == ["Accordion below"]


@pytest.mark.both_databases
def test_pages_are_found_by_their_rows(client: Client) -> None:
    link = {"text": "Book a lesson", "page": None, "url": "/zither"}
    shared = make_shared_row({"type": "quote", "value": {"quote": "A fine hurdy-gurdy."}})
    make_page(
        {"type": "hero", "value": {"heading": "Come in", "links": [link]}},
        {"type": "faq", "value": {"questions": [{"question": "Do you tune harps?", "answer": "<p>On <i>Mondays</i>.</p>"}]}},
        {"type": "newsletter", "value": {"heading": "Bagpipe letters"}},
        {"type": "shared", "value": {"row": shared.pk}},
        title="Music",
        introduction="All about strings",
        search_description="A school of ukulele",
    )
    for word in ("strings", "lesson", "harps", "mondays", "gurdy", "ukulele"):
        html = search(client, word)
        assert titles(html) == ["Music"], word
        assert f"<mark>{word}" in html.lower()
    # An address is no text, and the module of the newsletter may be switched off.
    for word in ("zither", "bagpipe"):
        assert titles(search(client, word)) == [], word


def test_a_shared_row_that_changes(client: Client) -> None:
    shared = make_shared_row({"type": "quote", "value": {"quote": "A fine lute."}})
    make_page({"type": "shared", "value": {"row": shared.pk}}, title="Music")
    assert titles(search(client, "lute")) == ["Music"]
    shared.rows[0].value["quote"] = "A fine lyre."
    shared.save()
    assert titles(search(client, "lute")) == []
    assert titles(search(client, "lyre")) == ["Music"]


def test_pages_of_former_releases_are_indexed_by_the_setup(client: Client) -> None:
    page = make_page(TEXT, title="About")
    page.index_entries.all().delete()
    page_cache.clear()
    assert titles(search(client, "concertinas")) == []
    call_command("setup_site", stdout=StringIO())
    page_cache.clear()
    assert titles(search(client, "concertinas")) == ["About"]


def test_an_item_with_dates_shows_the_next(client: Client) -> None:
    days = [timezone.now().date() + timedelta(days=number) for number in (-6, 1, 8)]
    event = make_type(field("when", "datetime", facet=True), name="Event")
    rule = {"frequency": "weekly", "until": days[-1].isoformat()}
    date = {"start": f"{days[0]}T18:00", "end": f"{days[0]}T19:00", "tz": "UTC", "repeat": rule}
    weekly = make_item(event, title="Choir weekly", data={"when": date})
    once = {"start": f"{days[1]}T18:00", "tz": "UTC"}
    make_item(event, title="Choir once", data={"when": once}, published_at=timezone.now() - timedelta(days=500))
    html = search(client, "choir")
    assert titles(html) == ["Choir weekly", "Choir once"]
    assert html.count(f'<time datetime="{days[1]}T18:00+00:00">') == 2
    (kept,) = page_cache._pages.values()
    assert kept.until
    assert kept.until.date() == days[1]
    later = ContentItem.objects.filter(owner=weekly, starts_at__date=days[1]).get()
    later.data["when"]["cancelled"] = True
    ContentItem.objects.filter(pk=later.pk).update(data=later.data)
    page_cache.clear()
    assert f'<time datetime="{days[2]}T18:00+00:00">' in search(client, "choir")


def test_results_are_cached_until_something_changes(client: Client) -> None:
    item = make_item(title="Heron")
    first = client.get("/search?q=heron")
    assert first.headers["Cache-Control"] == page_cache.REVALIDATED
    assert client.get("/search?q=heron", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    update_item(item=item, values={"data": {"title": "Heron again"}})
    assert titles(search(client, "heron")) == ["Heron again"]
    save_type(item_type=item.type, values={"name": "Report"})
    assert "Report" in search(client, "heron")
    delete_item(item=item)
    assert titles(search(client, "heron")) == []


def test_pages_of_results(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    create_items(item_type=blog_post(), rows=[{"data": {"title": f"Heron {n}"}, "status": "published"} for n in range(45)])
    found = [titles(search(client, "heron", page=number)) for number in (1, 2, 3)]
    assert list(map(len, found)) == [20, 20, 5]
    assert len({title for page in found for title in page}) == 45
    html = search(client, "heron", page="2")
    assert 'href="?q=heron&amp;page=3"' in html
    for number in ("0", "-1", "99", "x", "9" * 400):
        assert titles(search(client, "heron", page=number))
    monkeypatch.setattr("cms_api.content.resources.search.RANKED_MATCHES", 30)
    monkeypatch.setattr("cms_api.gateway.search.RANKED_MATCHES", 30)
    page_cache.clear()
    assert "At least 30 results" in search(client, "heron")


HOSTILE = [
    "\0", "a\0b", "x" * 5000, "word " * 1000, '"', "'", '"unclosed', "a AND", "NOT", "a OR b", "*", "a*", "a:b", "title:a",
    "-a", "(((", "a & b | !c", ":*", "<->", "\\", "%", "_", "😀", "😀 heron", "é\u0301\u0301", "\u202e", "\ufffd",
    "<script>alert(1)</script>", "{{ x }}", "../..", "; DROP TABLE x; --", "NEAR(a b)", "^a", "日本語", "\r\n\t", "½", "İ",
]  # fmt: skip


@pytest.mark.both_databases
def test_hostile_queries(client: Client) -> None:
    make_item(title="Heron & <script>alert(1)</script>", excerpt="<b>Bold</b> alert")
    for words in HOSTILE:
        assert "<script>alert" not in search(client, words), words
    assert "&lt;script&gt;<mark>alert</mark>" in search(client, "alert")
    for raw in ("q=%ff%fe", "q=%ED%A0%80", "q[]=a", "q=a&q=b", "q=%00", "page=1", "q", "&&&=", "q=" + "%F0%9F%98%80" * 300):
        assert client.get(f"/search?{raw}").status_code == 200, raw
    assert client.post("/search", {"q": "a"}).status_code == 405


@pytest.mark.both_databases
def test_empty_searches(client: Client) -> None:
    create_home_page()
    for path in ("/search", "/search?q=", "/search?q=+"):
        assert "Search the whole site" in client.get(path).content.decode()
    html = search(client, "nothing <here>")
    assert "Nothing matches <q>nothing &lt;here&gt;</q>" in html
    assert "fewer or more general words" in html


@pytest.mark.both_databases
def test_a_constant_number_of_statements(client: Client) -> None:
    """The versions (twice), the items that match and those that are shown, pages alike, and what pages have beside."""
    shared = make_shared_row({"type": "quote", "value": {"quote": "A fine lute."}})
    event = make_type(field("when", "datetime", facet=True))
    found = []
    for number in (1, 3, 6):
        for place in range(number):
            make_item(event, title="Lute", data={"when": {"start": "2027-03-01T18:00", "tz": "UTC"}})
            make_page({"type": "shared", "value": {"row": shared.pk}}, title="Lute", kind=(StandardPage, LandingPage)[place % 2])
        search(client, "lute")
        page_cache.clear()
        with CaptureQueriesContext(connection) as captured:
            assert len(titles(search(client, "lute"))) == len(Page.objects.filter(title="Lute")) * 2
        found.append(len(captured))
    assert found[1] == found[2] <= 12, (found, captured.captured_queries)


def test_top_level_pages_do_not_take_fixed_addresses() -> None:
    page = make_page(TEXT, title="Search")
    assert page.slug == "search-2"
    below = page.add_child(instance=LandingPage(title="Search", rows=[TEXT]))
    assert below.slug == "search"
    assert Page.objects.get(pk=below.pk).url_path.endswith("/search-2/search/")


def test_the_box_in_the_header_and_on_the_404_page(client: Client) -> None:
    create_home_page()
    assert '<label class="hidden" for="site-q">Search this site</label>' in client.get("/").content.decode()
    lost = client.get("/no-such-page/")
    assert lost.status_code == 404
    assert lost.content.decode().count('action="/search"') == 2


class Boats:
    """A source of a module that could be switched off."""

    def candidates(self, text: str) -> list[Candidate]:
        return [Candidate(7, "Heron, a boat", None)]

    def results(self, keys: Sequence[int]) -> dict[int, Result]:
        return {key: Result("Heron, a boat", f"/boats/{key}", "Boat", "For rent.") for key in keys}


BOATS = Boats()
BOATING = Module(name="boats", title="Boats", description="Boats.", feature="shop", pages=Pages(searches=(f"{__name__}.BOATS",)))


def test_modules_add_sources(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    create_home_page()
    monkeypatch.setattr("cms_api.gateway.search.registry.modules", lambda: (BOATING,))
    assert titles(search(client, "heron")) == []
    switch_feature(name="shop", on=True)
    html = search(client, "heron")
    assert '<a href="/boats/7"><mark>Heron</mark>, a boat</a>' in html
    assert "Boat</p>" in html
