"""Links into a visitor's own calendar, and the tokens that stand for them in prose and in the rows around a record."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.resources.calendar_links import calendar_links, resolve
from home.models import RecordTemplate
from tests.builders import blog_post, make_item, make_page
from tests.client import Api

from .event_pages import events, gatherings, make_event, page

pytestmark = pytest.mark.django_db

PROSE = '<p><a href="{item.calendar_google_url}">Add</a> or {item.calendar_outlook_url}</p>'
HALL = {"street": "1 Weir Lane", "city": "Harrowford", "postal_code": "HX7 4QD"}


def read(url: str) -> tuple[str, dict[str, str]]:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}", {key: values[0] for key, values in parse_qs(parts.query).items()}


def links_for(date: dict[str, Any] | None, **more: Any) -> dict[str, str]:
    return calendar_links(make_event("Tea & talk", date, **more))


def test_it_works() -> None:
    date = {"start": "2026-03-12T19:30", "end": "2026-03-12T21:00", "tz": "Europe/Paris"}
    data = {"venue": "Long Studio", "venue_address": HALL, "subtitle": "Bring cake"}
    found = links_for(date, data=data)
    where, query = read(found["google"])
    assert where == "https://calendar.google.com/calendar/render"
    item = ContentItem.objects.latest("pk")
    assert query == {
        "action": "TEMPLATE",
        "text": "Tea & talk",
        "dates": "20260312T183000Z/20260312T200000Z",
        "location": "Long Studio, 1 Weir Lane, Harrowford HX7 4QD",
        "details": f"Bring cake\n{item.url}",
    }
    where, query = read(found["outlook"])
    assert where == "https://outlook.live.com/calendar/0/deeplink/compose"
    assert (query["startdt"], query["enddt"]) == ("2026-03-12T18:30:00Z", "2026-03-12T20:00:00Z")
    assert (query["subject"], query["location"]) == ("Tea & talk", "Long Studio, 1 Weir Lane, Harrowford HX7 4QD")
    assert query["body"] == f"Bring cake\n{item.url}"


def test_whole_days_are_bare_dates_that_end_with_the_next_day() -> None:
    found = links_for({"start": "2026-03-12", "end": "2026-03-14", "all_day": True})
    assert read(found["google"])[1]["dates"] == "20260312/20260315"
    query = read(found["outlook"])[1]
    assert (query["startdt"], query["enddt"], query["allday"]) == ("2026-03-12", "2026-03-15", "true")
    assert read(links_for({"start": "2026-03-12", "all_day": True})["google"])[1]["dates"] == "20260312/20260313"


def test_what_has_no_end_is_a_moment() -> None:
    assert (
        read(links_for({"start": "2026-03-12T19:30", "tz": "UTC"})["google"])[1]["dates"] == "20260312T193000Z/20260312T193000Z"
    )


@pytest.mark.parametrize("date", [None, {"start": "9999-12-31", "all_day": True}])
def test_there_are_none_without_a_usable_start(date: Any) -> None:
    assert links_for(date) == {}


@pytest.mark.parametrize(
    "stored", ["2026-03-12", 7, ["x"], {"start": "x", "tz": "UTC"}, {"start": "2026-03-12T10:00:00", "tz": "Mars"}]
)
def test_values_of_an_earlier_schema_have_none(stored: Any) -> None:
    item = make_event()
    item.data["event_date"] = stored
    assert calendar_links(item) == {}


def test_tokens_survive_being_stored_and_resolve_on_the_page(api: Api, client: Client) -> None:
    events()
    data = {"title": 'Tea & "talk"', "details": PROSE, "event_date": {"start": "2026-03-12T19:30", "tz": "UTC"}}
    made = api.post("/content-items", {"type": "events", "status": "published", "data": data})
    assert made.status_code == 201, made.content
    assert made.json()["data"]["fields"]["details"] == PROSE
    html = page(client, f"/events/{made.json()['data']['slug']}")
    found = re.search(r'<p><a href="([^"]*)">Add</a> or (.*?)</p>', html)
    assert found
    links = calendar_links(ContentItem.objects.get(pk=made.json()["data"]["id"]))
    assert (unescape(found[1]), unescape(found[2])) == (links["google"], links["outlook"])
    assert "&amp;text=Tea+%26+%22talk%22" in found[1]
    assert "{item." not in html
    assert "{item." not in page(client, "/events")
    assert "{item." not in page(client, "/feeds/events.atom")


def test_tokens_resolve_to_nothing_without_a_date(client: Client) -> None:
    item = make_event(data={"details": PROSE})
    assert '<p><a href="">Add</a> or </p>' in page(client, f"/events/{item.slug}")
    post = make_item(blog_post(), data={"body": PROSE})
    assert "{item." not in page(client, f"/blog-post/{post.slug}")
    assert resolve("{item.calendar_other_url}", item) == "{item.calendar_other_url}"


def test_tokens_resolve_in_the_rows_around_a_record(client: Client) -> None:
    kind = gatherings()
    item = make_item(kind, title="Meeting", data={"at": {"start": "2026-03-12T19:30", "tz": "UTC"}})
    link = {"text": "Put it down", "url": "{item.calendar_google_url}", "page": None}
    rows = [
        {"type": "call_to_action", "value": {"heading": "Come", "text": "See {item.calendar_outlook_url}", "links": [link]}},
        {"type": "record", "value": {}},
        {"type": "text", "value": {"heading": "", "text": "<p>Or {item.calendar_google_url}</p>"}},
    ]
    make_page(*rows, kind=RecordTemplate, record_type=kind, title="Gatherings template")
    html = page(client, f"/gatherings/{item.slug}")
    assert "{item." not in html
    found = re.search(r'href="(https://calendar\.google[^"]*)">Put it down', html)
    assert found
    assert unescape(found[1]) == calendar_links(item)["google"]
    assert "See https://outlook.live.com" in html
    assert "<p>Or https://calendar.google.com" in html
