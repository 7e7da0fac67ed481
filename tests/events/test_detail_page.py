"""The page of an event: at its next date or the one that is asked for, with its other dates and what machines read."""

import datetime as dt
import re

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import unpublish_item, update_item
from cms_api.flags.services import set_setting
from cms_api.http import page_cache
from events.models import Rsvp
from tests.builders import make_item, make_term

from .event_pages import WEEKLY, at, events, gatherings, graph, make_event, page, put_forward

pytestmark = pytest.mark.django_db


def facts(html: str) -> str:
    found = re.search(r'<aside class="event__facts".*?</aside>', html, re.DOTALL)
    assert found
    return found[0]


def listed(html: str) -> list[str]:
    """The starts of the dates that the page names."""
    found = re.search(r'<ol class="dates__list">(.*?)</ol>', html, re.DOTALL)
    return re.findall(r'<li>.*?<time datetime="([^"]+)"', found[1], re.DOTALL) if found else []


def test_it_works(client: Client) -> None:
    make_term(events(), "category", "Music")
    data = {
        "subtitle": "By candlelight",
        "venue": "Long Studio",
        "venue_address": {"street": "1 Weir Lane", "city": "Harrowford", "latitude": 53.7, "longitude": -2.0},
        "cost": "£14",
        "website_url": "https://example.org/quartet",
        "details": "<p>Haydn and <em>Price</em>.</p>",
        "category": ["music"],
    }
    date = {"start": "2030-03-12T19:30", "end": "2030-03-12T21:00", "tz": "UTC"}
    make_event("Quartet", date, data=data)
    html = page(client, "/events/quartet")
    assert '<p class="lede">By candlelight</p>' in html
    shown = facts(html)
    for part in ("Tuesday, March 12, 2030, 7:30\xa0PM", "9:00\xa0PM", "Long Studio", "1 Weir Lane", "£14", "openstreetmap.org"):
        assert part in shown
    assert '<a class="break" href="https://example.org/quartet">example.org/quartet</a>' in shown
    assert 'href="https://calendar.google.com/' in shown
    assert 'href="https://outlook.live.com/' in shown
    assert 'href="/calendar/events/quartet.ics"' in shown
    assert "<p>Haydn and <em>Price</em>.</p>" in html
    assert "<dt>Venue</dt>" not in html
    assert 'href="/events/category/music"' in html
    assert listed(html) == []


def test_machines_read_when_where_and_whether(client: Client) -> None:
    data = {"venue": "Long Studio", "venue_address": {"street": "1 Weir Lane", "city": "Harrowford"}}
    make_event("Quartet", {"start": "2030-03-12T19:30", "end": "2030-03-12T21:00", "tz": "Europe/Paris"}, data=data)
    found = graph(page(client, "/events/quartet"))
    assert found["@type"] == "Event"
    assert (found["startDate"], found["endDate"]) == ("2030-03-12T19:30+01:00", "2030-03-12T21:00+01:00")
    assert found["eventStatus"] == "https://schema.org/EventScheduled"
    assert found["location"]["name"] == "Long Studio"
    assert found["location"]["address"]["streetAddress"] == "1 Weir Lane"
    make_event("Fair", {"start": "2030-03-12", "end": "2030-03-14", "all_day": True}, data={"venue": "Hall"})
    found = graph(page(client, "/events/fair"))
    assert (found["startDate"], found["endDate"]) == ("2030-03-12", "2030-03-14")
    assert found["location"] == {"@type": "Place", "name": "Hall"}


def test_one_that_repeats_names_its_next_dates(client: Client) -> None:
    make_event("Class", at(-24 * 8, repeat={"frequency": "weekly"}))
    html = page(client, "/events/class")
    assert "Every week" in facts(html)
    following = timezone.now() + dt.timedelta(days=6)
    assert f"{following:%Y-%m-%d}" in facts(html)
    assert len(listed(html)) == 12
    assert listed(html)[0].startswith(f"{following:%Y-%m-%d}")
    assert graph(html)["startDate"].startswith(f"{following:%Y-%m-%d}")
    assert re.findall(r'occurrence=([^"]{10})[^"]*" aria-current="true"', html) == [f"{following:%Y-%m-%d}"]


def test_the_date_that_is_asked_for_is_shown(client: Client) -> None:
    # The form for replies has a token that is never the same.
    set_setting(key="events.rsvp", value=False)
    item = make_event("Class", {"start": "2030-03-05T18:00", "end": "2030-03-05T19:00", "tz": "UTC", "repeat": WEEKLY})
    html = page(client, f"/events/{item.slug}?occurrence=2030-03-19T18:00:00")
    assert "March 19, 2030" in facts(html)
    assert "20300319T180000Z%2F20300319T190000Z" in facts(html)
    assert facts(html) == facts(page(client, f"/events/{item.slug}?occurrence=2030-03-19T18:00"))
    assert "March 5, 2030" in facts(page(client, f"/events/{item.slug}?occurrence=2030-03-05T18:00:00"))


@pytest.mark.parametrize("wanted", ["", "x", "%00", "2030-03-20T18:00:00", "2030-03-19", "%ED%A0%80", "9" * 5000, "2030-99-99"])
def test_any_other_date_is_the_own(client: Client, wanted: str) -> None:
    item = make_event("Class", {"start": "2030-03-05T18:00", "tz": "UTC", "repeat": WEEKLY})
    assert "March 5, 2030" in facts(page(client, f"/events/{item.slug}?occurrence={wanted}"))


def test_a_cancelled_date_says_so(client: Client) -> None:
    date = {"start": "2030-03-05T18:00", "tz": "UTC", "repeat": WEEKLY}
    item = make_event("Class", date)
    row = ContentItem.objects.get(owner=item, data__event_date__start="2030-03-12T18:00:00")
    start = row.data["event_date"]["start"]
    Rsvp.objects.create(event=item, occurrence=row, occurrence_start=start, name="D", email="d@e.org", email_key="d@e.org")
    update_item(
        item=item, values={"data": {"event_date": {**date, "repeat": {"frequency": "weekly", "interval": 2, "count": 3}}}}
    )
    html = page(client, "/events/class")
    assert [each[:10] for each in listed(html)] == ["2030-03-05", "2030-03-12", "2030-03-19", "2030-04-02"]
    assert html.count(">Cancelled<") == 1
    html = page(client, f"/events/class?occurrence={start}")
    assert "Cancelled" in facts(html)
    assert graph(html)["eventStatus"] == "https://schema.org/EventCancelled"


@pytest.mark.parametrize("is_built_in", [True, False])
def test_the_address_of_a_later_date_leads_to_the_item(client: Client, is_built_in: bool) -> None:
    date = {"start": "2030-03-05T18:00", "tz": "UTC", "repeat": WEEKLY}
    item = make_event("Class", date) if is_built_in else make_item(gatherings(), title="Class", data={"at": date})
    row = ContentItem.objects.filter(owner=item).earliest("starts_at")
    path = f"/{item.type.slug}/{row.slug}"
    answer = client.get(path)
    expected = f"/{item.type.slug}/class?occurrence=2030-03-12T18:00:00"
    assert (answer.status_code, answer.headers["Location"]) == (301, expected)
    assert client.get(answer.headers["Location"]).status_code == 200
    unpublish_item(item=item)
    page(client, path, 404)


def test_a_kept_page_ends_when_its_date_does(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    set_setting(key="events.rsvp", value=False)
    make_event("Class", at(-1, repeat=WEEKLY))
    first = listed(page(client, "/events/class"))
    assert len(first) == 4
    assert len(page_cache._pages) == 1
    put_forward(monkeypatch, hours=3)
    assert listed(page(client, "/events/class")) == first[1:]


@pytest.mark.parametrize("layout", ["content-detail", "content-wide"])
def test_other_types_show_their_dates_in_their_own_layout(client: Client, layout: str) -> None:
    date = {"start": "2030-03-05T18:00", "tz": "UTC", "repeat": WEEKLY}
    item = make_item(gatherings(detail_layout=layout), title="Meeting", data={"at": date})
    html = page(client, f"/gatherings/{item.slug}")
    assert "March 5, 2030" in html
    assert f'href="/calendar/gatherings/{item.slug}.ics"' in html
    assert len(listed(html)) == 4


def test_without_a_date_there_is_a_page_nonetheless(client: Client) -> None:
    make_event("Some day")
    html = page(client, "/events/some-day")
    assert "Add to calendar" not in html
    assert "startDate" not in graph(html)


def test_hostile_text_is_text(client: Client) -> None:
    hostile = '"><script>alert(1)</script>'
    data = {"subtitle": hostile, "venue": hostile, "cost": hostile, "website_url": f"https://x/{hostile}"}
    item = make_event(hostile, at(5), data=data, slug="hostile")
    for path in (f"/events/{item.slug}", "/events", "/events?view=calendar"):
        assert "<script>alert" not in page(client, path)
    item = make_event("Link", at(5), data={"website_url": "javascript:alert(1)"})
    assert 'href="javascript' not in page(client, f"/events/{item.slug}")
