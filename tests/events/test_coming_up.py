"""The page row "Coming up": the next dates, soonest first, and never a past one."""

import datetime as dt
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.services.items import delete_item, update_item
from cms_api.flags.services import switch_feature
from cms_api.http import page_cache
from home.models.blocks import plain_rows
from tests.builders import field, make_item, make_page, make_type
from tests.events.builders import events_type

pytestmark = pytest.mark.django_db

NOON = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def _at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    events_type()
    switch_feature(name="events", on=True)
    be_at(NOON, monkeypatch)


def be_at(moment: dt.datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: moment)


def make_event(title: str, start: str, end: str = "", **date: Any) -> Any:
    value = {"start": start, "end": end or None, "tz": "UTC", **date}
    return make_item(events_type(), title=title, data={"event_date": value})


def coming_up(**value: Any) -> Any:
    return make_page({"type": "coming_up", "value": {"heading": "", "type": "", "count": 3, "link": True, **value}})


def titles(client: Client, page: Any) -> list[str]:
    html = client.get(page.get_url()).content.decode()
    return re.findall(r'card__title">(?:<a [^>]*>)?([^<]+)', html)


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    make_event("Next month", "2026-07-04T18:00")
    make_event("Last week", "2026-05-25T18:00", "2026-05-25T20:00")
    make_event("Tonight", "2026-06-01T18:00", "2026-06-01T20:00")
    make_event("Going on", "2026-05-30T09:00", "2026-06-02T18:00")
    weekly = {"frequency": "weekly", "interval": 1, "count": 3}
    make_event("Choir", "2026-05-21T19:30", "2026-05-21T21:00", repeat=weekly)
    make_item(events_type(), title="Some day")
    html = client.get(coming_up(count=5).get_url()).content.decode()
    assert re.findall(r'card__title"><a [^>]*>([^<]+)', html) == ["Going on", "Tonight", "Choir", "Next month"]
    assert "<h2>Coming up</h2>" in html
    # A repeating event is shown at its next date.
    assert 'datetime="2026-06-04T19:30+00:00"' in html
    assert "2026-05-21" not in html
    assert 'See all <span class="hidden">Events</span>' in html


@pytest.mark.both_databases
def test_only_the_soonest_are_listed(client: Client) -> None:
    for day in (9, 3, 7, 5):
        make_event(f"Day {day}", f"2026-06-0{day}T10:00")
    assert titles(client, coming_up(count=2)) == ["Day 3", "Day 5"]


def test_dates_of_several_types_are_merged(client: Client) -> None:
    walks = make_type(field("at", "datetime", facet=True), slug="walks", name_plural="Walks")
    notes = make_type(field("at", "datetime"), slug="notes", name_plural="Notes")
    make_item(walks, title="Dawn walk", data={"at": {"start": "2026-06-02T05:00", "tz": "UTC"}})
    make_item(notes, title="Note", data={"at": {"start": "2026-06-02T05:00", "tz": "UTC"}})
    make_event("Early", "2026-06-01T13:00")
    make_event("Late", "2026-06-03T13:00")
    every = coming_up(heading="Soon")
    assert titles(client, every) == ["Early", "Dawn walk", "Late"]
    assert "See all" not in client.get(every.get_url()).content.decode()
    assert titles(client, coming_up(type="walks")) == ["Dawn walk"]


def test_it_is_not_there_without_dates_or_its_feature(client: Client) -> None:
    page = coming_up()
    make_event("Last week", "2026-05-25T18:00", "2026-05-25T20:00")
    assert "row--items" not in client.get(page.get_url()).content.decode()
    make_event("Tonight", "2026-06-01T18:00")
    assert titles(client, page) == ["Tonight"]
    switch_feature(name="events", on=False)
    assert "row--items" not in client.get(page.get_url()).content.decode()


def test_a_cached_page_follows_its_events_and_the_clock(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    tonight = make_event("Tonight", "2026-06-01T18:00", "2026-06-01T20:00")
    make_event("Tomorrow", "2026-06-02T18:00", "2026-06-02T20:00")
    page = coming_up()
    assert titles(client, page) == ["Tonight", "Tomorrow"]
    with CaptureQueriesContext(connection) as cached:
        assert titles(client, page) == ["Tonight", "Tomorrow"]
    assert len(cached) == 1
    update_item(item=tonight, values={"data": {"event_date": {"start": "2026-06-03T18:00", "end": "2026-06-03T20:00"}}})
    assert titles(client, page) == ["Tomorrow", "Tonight"]
    for hours, expected in ((31, ["Tomorrow", "Tonight"]), (33, ["Tonight"])):
        be_at(NOON + dt.timedelta(hours=hours), monkeypatch)
        assert titles(client, page) == expected
    delete_item(item=tonight)
    assert titles(client, page) == []


def test_its_cost_does_not_grow(client: Client) -> None:
    counts = []
    for number in (1, 8):
        for each in range(number):
            make_event(f"Event {number}-{each}", f"2026-06-{each + 2:02}T10:00")
        page = coming_up(count=24)
        client.get(page.get_url())
        page_cache.clear()
        with CaptureQueriesContext(connection) as captured:
            client.get(page.get_url())
        counts.append(len(captured))
    assert counts[0] == counts[1], counts


def test_its_preview_needs_no_event(admin_client: Client) -> None:
    make_event("Tonight", "2026-06-01T18:00")
    block = dict(plain_rows())["coming_up"]
    assert "Tonight" in admin_client.get("/admin/block-preview/", {"id": block.definition_prefix}).content.decode()
