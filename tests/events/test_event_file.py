"""The calendar file of a single event, which visitors take along."""

import datetime as dt
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, unpublish_item, update_item
from cms_api.flags.services import switch_feature
from cms_api.http import page_cache
from events.models import CalendarEntry
from tests.builders import field, make_item, make_type
from tests.calendars.calendar_lines import Component, parse
from tests.events.builders import events_type, uid

pytestmark = pytest.mark.django_db

FILE = "/calendar/events/choir.ics"
WEEKLY = {"frequency": "weekly", "count": 3}


@pytest.fixture(autouse=True)
def _events_on(db: None) -> None:
    switch_feature(name="events", on=True)


def make_event(repeat: Any = WEEKLY, **values: Any) -> ContentItem:
    date = {"start": "2020-03-22T18:30", "end": "2020-03-22T20:00", "tz": "Europe/Paris", "repeat": repeat}
    return make_item(events_type(), title="Choir", **{"data": {"event_date": date}, **values})


def events_of(client: Client, path: str = FILE) -> list[Component]:
    response = client.get(path)
    assert response.status_code == 200
    return parse(response.content).all("VEVENT")


def test_it_works(client: Client) -> None:
    item = make_event()
    rows = ContentItem.objects.filter(owner=item).order_by("starts_at")
    make_item(events_type(), title="Other", data={"event_date": {"start": "2020-03-22", "all_day": True}})
    response = client.get(FILE)
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert response.headers["Content-Disposition"] == 'attachment; filename="choir.ics"'
    calendar = parse(response.content)
    assert calendar.value("X-WR-CALNAME") == "Choir"
    found = calendar.all("VEVENT")
    assert [event.value("UID") for event in found] == [uid(item, pk) for pk in (item.pk, *(row.pk for row in rows))]
    # All of its dates, however long ago.
    assert [event.value("DTSTART") for event in found] == ["20200322T183000", "20200329T183000", "20200405T183000"]


def test_it_says_what_the_feed_says(client: Client) -> None:
    item = make_event()
    start = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=4)
    update_item(item=item, values={"data": {"event_date": {"start": start.isoformat(), "all_day": True, "repeat": WEEKLY}}})
    feed, file = (client.get(path).content.partition(b"BEGIN:VEVENT")[2] for path in ("/calendar/events.ics", FILE))
    assert feed == file


def test_a_kept_file_is_still_a_download(client: Client) -> None:
    make_event()
    first, second = client.get(FILE), client.get(FILE)
    for name in ("Content-Disposition", "ETag", "Last-Modified"):
        assert first.headers[name] == second.headers[name]
    unchanged = client.get(FILE, headers={"If-None-Match": first.headers["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_it_ends_with_each_change(client: Client) -> None:
    item = make_event()
    assert len(events_of(client)) == 3
    item = update_item(item=item, values={"data": {"venue": "Hall"}})
    assert {event.value("LOCATION") for event in events_of(client)} == {"Hall"}
    date = {**item.data["event_date"], "repeat": {"frequency": "weekly", "count": 5}}
    update_item(item=item, values={"data": {"event_date": date}})
    assert len(events_of(client)) == 5


@pytest.mark.parametrize("number", [0, 1])
def test_a_single_date_leads_to_its_event(client: Client, number: int) -> None:
    item = make_event()
    slug = ContentItem.objects.filter(owner=item).order_by("starts_at")[number].slug
    response = client.get(f"/calendar/events/{slug}.ics")
    assert (response.status_code, response.headers["Location"]) == (301, FILE)


def test_what_is_not_public_is_not_found(client: Client) -> None:
    item = make_event()
    row = ContentItem.objects.filter(owner=item)[0]
    assert client.get(FILE).status_code == 200
    unpublish_item(item=item)
    for path in (FILE, f"/calendar/events/{row.slug}.ics"):
        assert client.get(path).status_code == 404
    update_item(item=item, values={"status": "published"})
    assert client.get(FILE).status_code == 200
    delete_item(item=item)
    assert client.get(FILE).status_code == 404


def test_what_has_no_date_has_no_file(client: Client) -> None:
    make_event(data={})
    plain = make_type(field("note", "text"), slug="plain")
    make_item(plain, slug="it")
    for path in (FILE, "/calendar/plain/it.ics", "/calendar/events/nothing.ics", "/calendar/nothing/choir.ics"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize("slug", ["%00", "choir%0d%0aX:1", "é", "../choir", "choir.ics", "a" * 5000, "-", '"'])
def test_hostile_slugs_are_not_found(client: Client, slug: str) -> None:
    make_event()
    assert client.get(f"/calendar/events/{slug}.ics").status_code == 404


def test_it_is_only_read(client: Client) -> None:
    make_event()
    assert (client.head(FILE).status_code, client.head(FILE).content) == (200, b"")
    assert Client(enforce_csrf_checks=True).post(FILE).status_code == 405


@pytest.mark.parametrize("count", [1, 10, 100])
@pytest.mark.both_databases
def test_any_number_of_dates_is_read_with_one_statement_and_two_more_where_none_is_stored(client: Client, count: int) -> None:
    make_event({"frequency": "daily", "count": count})
    for statements in (1, 3):
        page_cache.clear()
        with CaptureQueriesContext(connection) as captured:
            assert len(events_of(client)) == count
        assert len([query for query in captured if "content_contentitem" in query["sql"]]) == statements
        CalendarEntry.objects.all().delete()
