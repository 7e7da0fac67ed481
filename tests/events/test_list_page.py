"""Lists of what takes place: upcoming by default, past, searched, of a category."""

import datetime as dt
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, update_item
from cms_api.flags.services import set_setting, switch_feature
from cms_api.http import page_cache
from events.models import Rsvp
from tests.builders import blog_post, field, make_item, make_term, make_type

from .event_pages import WEEKLY, at, events, gatherings, make_event, page, put_forward, titles

pytestmark = pytest.mark.django_db


def test_it_works(client: Client) -> None:
    make_event("Over", at(-100))
    make_event("Later", at(50))
    make_event("Sooner", at(20))
    make_event("Now", at(-1))
    assert titles(page(client, "/events")) == ["Now", "Sooner", "Later"]
    assert titles(page(client, "/events?tab=past")) == ["Over"]


def test_tabs_are_links_that_say_where_one_is(client: Client) -> None:
    make_event("Over", at(-100))
    for path, current in {"/events": "Upcoming", "/events?tab=past": "Past", "/events?view=calendar": "Calendar"}.items():
        html = page(client, path)
        assert re.findall(r'aria-current="page">(Upcoming|Past|Calendar)<', html) == [current]
    assert 'href="/events?tab=past"' in html


def test_one_that_repeats_is_listed_once_at_its_next_date(client: Client) -> None:
    make_event("Class", at(-24 * 8, repeat=WEEKLY))
    make_event("Before", at(24 * 5))
    make_event("After", at(24 * 7))
    html = page(client, "/events")
    assert titles(html) == ["Before", "Class", "After"]
    following = timezone.now() + dt.timedelta(days=6)
    assert f'datetime="{following:%Y-%m-%d}' in html
    assert "Every week, 4 times" in html
    assert titles(page(client, "/events?tab=past")) == []


def test_one_whose_dates_are_over_is_past_and_shows_the_last(client: Client) -> None:
    make_event("Class", at(-24 * 30, repeat=WEEKLY))
    make_event("Between", at(-24 * 20))
    make_event("Recent", at(-24 * 2))
    html = page(client, "/events?tab=past")
    assert titles(html) == ["Recent", "Class", "Between"]
    last = timezone.now() - dt.timedelta(days=9)
    assert f'datetime="{last:%Y-%m-%d}' in html


@pytest.mark.both_databases
def test_cancelled_dates_do_not_count(client: Client) -> None:
    item = make_event("Class", at(-24 * 8, repeat={"frequency": "weekly", "count": 3}))
    row = ContentItem.objects.filter(owner=item).order_by("-starts_at")[0]
    start = row.data["event_date"]["start"]
    Rsvp.objects.create(
        event=item, occurrence=row, occurrence_start=start, name="D", email="d@example.org", email_key="d@example.org"
    )
    update_item(item=item, values={"data": {"event_date": at(-24 * 8, repeat={"frequency": "weekly", "count": 2})}})
    assert ContentItem.objects.get(pk=row.pk).data["event_date"]["cancelled"] is True
    assert titles(page(client, "/events")) == []
    assert titles(page(client, "/events?tab=past")) == ["Class"]


def test_what_has_no_date_comes_last_among_the_upcoming(client: Client) -> None:
    for number in range(15):
        make_event(f"Dated {number:02}", at(number + 1))
    for number in range(10):
        make_event(f"Undated {number}")
    first, second = titles(page(client, "/events")), titles(page(client, "/events?page=2"))
    assert first == [f"Dated {number:02}" for number in range(12)]
    assert second == [f"Dated {number:02}" for number in range(12, 15)] + [f"Undated {number}" for number in range(9, 0, -1)]
    assert titles(page(client, "/events?page=3")) == ["Undated 0"]
    assert "Date to be announced" in page(client, "/events?page=3")


def test_only_what_is_published_is_listed(client: Client) -> None:
    make_event("Hidden", at(5, repeat=WEEKLY), status="draft")
    make_event("Hidden too", status="unpublished")
    for path in ("/events", "/events?tab=past", "/events?view=calendar"):
        assert "Hidden" not in page(client, path)


@pytest.mark.both_databases
def test_titles_are_searched_and_the_tab_is_kept(client: Client) -> None:
    make_event("Brass band", at(5))
    make_event("String band", at(6))
    make_event("Brass quintet", at(-50))
    make_event("Brass choir")
    assert titles(page(client, "/events?q=brass")) == ["Brass band", "Brass choir"]
    html = page(client, "/events?q=brass&tab=past")
    assert titles(html) == ["Brass quintet"]
    assert '<input type="hidden" name="tab" value="past">' in html
    assert "Nothing matches your search" in page(client, "/events?q=tuba")


@pytest.mark.both_databases
def test_pages_carry_the_tab_and_the_search(client: Client) -> None:
    for number in range(14):
        make_event(f"Band {number}", at(-100 - number))
    html = page(client, "/events?tab=past&q=band")
    assert 'href="?tab=past&amp;q=band&amp;page=2"' in html
    assert titles(page(client, "/events?tab=past&q=band&page=2")) == ["Band 12", "Band 13"]


def test_empty_lists_say_where_else_to_look(client: Client) -> None:
    events()
    assert "Nothing coming up" in page(client, "/events")
    assert "Nothing in the past yet" in page(client, "/events?tab=past")


def test_a_category_has_the_same_tabs(client: Client) -> None:
    make_term(events(), "category", "Music")
    make_event("Concert", at(5), data={"category": ["music"]})
    make_event("Old concert", at(-50), data={"category": ["music"]})
    make_event("Talk", at(5))
    make_event("Vague", data={"category": ["music"]})
    assert titles(page(client, "/events/category/music")) == ["Concert", "Vague"]
    html = page(client, "/events/category/music?tab=past")
    assert titles(html) == ["Old concert"]
    assert 'href="/events/category/music?view=calendar"' in html
    page(client, "/events/category/nothing", 404)
    page(client, "/events/nothing/music", 404)


def test_without_events_there_are_none_and_other_types_go_on(client: Client) -> None:
    item = make_event("Concert", at(5))
    make_term(events(), "category", "Music")
    make_item(gatherings(), title="Meeting", data={"at": at(5)})
    switch_feature(name="events", on=False)
    for path in ("", f"/{item.slug}", "/category/music", "?view=calendar", "?tab=past", f"/{item.slug}--20260101t000000"):
        page(client, f"/events{path}", 404)
    for path in ("/feeds/events.atom", "/feeds/events.rss", "/feeds/events/category/music.atom"):
        page(client, path, 404)
    assert "/events" not in page(client, "/sitemap.xml")
    assert titles(page(client, "/gatherings")) == ["Meeting"]


def test_types_without_dates_are_listed_as_ever(client: Client) -> None:
    make_item(blog_post(), title="A post")
    html = page(client, "/blog-post?tab=past")
    assert 'class="tabs"' not in html
    assert "A post" in html


def test_a_date_that_is_no_facet_leaves_the_list_as_it_is(client: Client) -> None:
    kind = make_type(field("at", "datetime"), slug="letters")
    make_item(kind, title="Old", data={"at": at(-100)})
    make_item(kind, title="New")
    html = page(client, "/letters")
    assert titles(html) == ["New", "Old"]
    assert re.findall(r'aria-current="page">(List|Calendar)<', html) == ["List"]


def test_feeds_and_the_sitemap_name_no_later_dates(client: Client) -> None:
    item = make_event("Class", at(5, repeat=WEEKLY))
    for path in ("/feeds/events.atom", "/feeds/events.rss", "/sitemap.xml"):
        text = page(client, path)
        assert f"/events/{item.slug}" in text
        assert f"{item.slug}--" not in text
    assert page(client, "/feeds/events.atom").count("<entry>") == 1


@pytest.mark.parametrize(
    "query", ["?tab=%00", "?page=99999", "?page=x", "?q=%00", "?q=%22*)", "?tab=past&page=-1", "?view=%ED%A0%80", "?tab[]=past"]
)
def test_strange_queries_are_harmless(client: Client, query: str) -> None:
    make_event("Concert", at(5))
    page(client, f"/events{query}")


@pytest.mark.both_databases
def test_any_number_is_listed_in_as_many_statements(client: Client) -> None:
    counts: dict[str, list[int]] = {"": [], "?tab=past": [], "?q=band": [], "?view=calendar": []}
    for number in (1, 6, 12):
        for index in range(number):
            make_event(f"Band {index}", at(-24 * 10, repeat={"frequency": "weekly", "count": 2 + index % 2}))
            make_event(f"Band and {index}", at(index + 1))
        for query, found in counts.items():
            page(client, f"/events{query}")
            page_cache.clear()
            with CaptureQueriesContext(connection) as captured:
                page(client, f"/events{query}")
            found.append(len(captured))
    for query, (one, some, many) in counts.items():
        assert some == many, query
        assert one <= some <= 14, query


@pytest.mark.parametrize("path", ["/events", "/events?tab=past", "/events?view=calendar", "/events?q=con", "/events/concert"])
def test_a_kept_page_ends_with_a_change(client: Client, path: str) -> None:
    # A page with the form for replies is made for each visitor.
    set_setting(key="events.rsvp", value=False)
    item = make_event("Concert", at(1 if "past" not in path else -30))
    assert "Concert" in page(client, path)
    assert page_cache._pages
    update_item(item=item, values={"data": {"title": "Concerto"}})
    assert "Concerto" in page(client, path)
    if path != "/events/concert":
        delete_item(item=item)
        assert "Concerto" not in page(client, path)


def test_a_kept_list_ends_when_a_date_does(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    make_event("Now", at(-1, 2))
    make_event("Class", at(-24 * 7, repeat=WEEKLY))
    make_event("Later", at(24 * 3))
    assert titles(page(client, "/events")) == ["Now", "Class", "Later"]
    assert titles(page(client, "/events?tab=past")) == []
    assert len(page_cache._pages) == 2
    put_forward(monkeypatch, hours=3)
    assert titles(page(client, "/events")) == ["Later", "Class"]
    assert titles(page(client, "/events?tab=past")) == ["Now"]


def test_the_layout_of_a_setting_is_the_list_that_comes_first(client: Client) -> None:
    make_event("Concert", at(1))
    set_setting(key="index_layout.default.events", value="content-calendar-grid")
    assert "<table" in page(client, "/events")
    for query in ("?tab=upcoming", "?view=list", "?q=concert"):
        assert titles(page(client, f"/events{query}")) == ["Concert"]
    assert 'href="/events?tab=upcoming"' in page(client, "/events")
