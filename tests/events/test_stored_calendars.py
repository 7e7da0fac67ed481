"""VEVENTs that are stored beside events: never other than what would be made of the event now."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, unpublish_item, update_item
from cms_api.content.services.types import refresh_items, save_term, save_type
from cms_api.flags.services import set_setting, switch_feature
from cms_api.http import page_cache
from events.models import CalendarEntry, Series
from events.services.calendars import refresh
from events.services.occurrences import top_up
from tests.builders import field, make_item, make_term, make_type
from tests.calendars.calendar_lines import Component, parse
from tests.events.builders import events_type, uid

pytestmark = pytest.mark.django_db

FEED = "/calendar/events.ics"
FILE = "/calendar/events/choir.ics"
LONG_HOST = "https://" + ".".join(["a-long-part-of-a-name"] * 5) + ":8443"


@pytest.fixture(autouse=True)
def _events_on(db: None) -> None:
    switch_feature(name="events", on=True)


def date(days: int = 5, **more: Any) -> dict[str, Any]:
    day = (timezone.localdate() + dt.timedelta(days=days)).isoformat()
    repeat = {"frequency": "weekly", "count": 3}
    return {"start": f"{day}T18:30", "end": f"{day}T20:00", "tz": "Europe/Paris", "repeat": repeat, **more}


def make_choir(**data: Any) -> ContentItem:
    return make_item(events_type(), title="Choir", data={"event_date": date(), "details": "<p>Sing.</p>", **data})


def fetch(client: Client, path: str = FEED) -> bytes:
    page_cache.clear()
    response = client.get(path)
    assert response.status_code == 200
    parse(response.content)
    return response.content


def events_of(client: Client, path: str = FEED) -> list[Component]:
    return parse(fetch(client, path)).all("VEVENT")


def is_stored(item: ContentItem) -> bool:
    """Whether what is stored is read: it is seen in the feed when somebody tampers with it."""
    entry = CalendarEntry.objects.get(item=item)
    CalendarEntry.objects.filter(item=item).update(shared=bytes(entry.shared).replace(b"SUMMARY:", b"SUMMARY:Stored "))
    found = b"SUMMARY:Stored " in fetch(Client())
    CalendarEntry.objects.filter(item=item).update(shared=bytes(entry.shared))
    return found


def rename_term(item: ContentItem) -> None:
    term = item.type.terms.get()
    save_term(item_type=item.type, taxonomy=term.taxonomy, name="Songs", slug=term.slug, term=term)


def take_pages_away(item: ContentItem) -> None:
    save_type(item_type=item.type, values={"has_detail": False})


def move_the_end(item: ContentItem) -> None:
    update_item(item=item, values={"data": {"event_date": date(repeat={"frequency": "weekly", "count": 5})}})


def come_back(item: ContentItem) -> None:
    unpublish_item(item=item)
    update_item(item=item, values={"data": {"title": "Other"}})
    assert events_of(Client()) == []
    update_item(item=item, values={"status": "published"})


WRITES: list[Callable[[ContentItem], Any]] = [
    lambda item: update_item(item=item, values={"data": {"title": "Other"}}),
    lambda item: update_item(item=item, values={"data": {"venue": "Hall"}, "excerpt": "Come"}),
    lambda item: update_item(item=item, values={"slug": "other"}),
    lambda item: update_item(item=item, values={"data": {"event_date": date(7, tz="UTC", repeat=None)}}),
    lambda item: update_item(item=item, values={"data": {"event_date": date(9)}}),
    move_the_end,
    come_back,
    rename_term,
    take_pages_away,
    lambda item: set_setting(key="site.timezone", value="Pacific/Auckland"),
    lambda item: delete_item(item=item.links_out.get().target),
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.both_databases
def test_it_works(client: Client, write: Callable[[ContentItem], Any]) -> None:
    item_type = events_type()
    save_type(item_type=item_type, values={"fields": [*item_type.fields, field("friend", "relation")]})
    make_term(events_type(), name="Music")
    friend = make_item(make_type(slug="friends"), title="Friend")
    item = make_choir(category=["music"], friend=friend.pk)
    refresh_items()
    item.refresh_from_db()
    item.type = events_type()
    assert is_stored(item)
    before = fetch(client)
    write(item)
    after = fetch(client)
    assert after != before or write is WRITES[-1]
    refresh_items()
    refresh()
    assert is_stored(item)
    assert fetch(client) == after
    CalendarEntry.objects.update(made_for=0)
    assert fetch(client) == after


def test_what_nobody_sees_is_not_written(client: Client) -> None:
    item = make_item(events_type(), title="Choir", status="draft", data={"event_date": date()})
    make_item(events_type(), title="Dateless")
    assert not CalendarEntry.objects.exists()
    update_item(item=item, values={"status": "published"})
    assert CalendarEntry.objects.get().item_id == item.pk
    delete_item(item=item)
    assert not CalendarEntry.objects.exists()


@pytest.mark.parametrize("base", ["https://other.example", LONG_HOST, "http://[2001:db8::1]:8000"])
def test_the_address_of_the_site_is_not_stored(client: Client, settings: Any, base: str) -> None:
    item = make_choir(details="é" * 90)
    settings.BASE_URL = base
    host = base.removeprefix("https://").removesuffix(":8443") if "[" not in base else "2001:db8::1"
    for path in (FEED, FILE):
        event = events_of(client, path)[0]
        assert event.value("UID") == uid(item, host=host)
        assert event.value("URL") == f"{base}/events/choir"
        assert event.value("DESCRIPTION") == "é" * 90 + f"\\n\\n{base}/events/choir"


def test_the_name_of_the_site_is_not_stored(client: Client) -> None:
    make_choir()
    set_setting(key="site.name", value="Millrace")
    assert parse(fetch(client)).value("X-WR-CALNAME") == "Events – Millrace"


def test_dates_that_come_with_time_are_stored(client: Client) -> None:
    set_setting(key="recurrence.horizon_days", value=30)
    item = make_choir(event_date=date(0, repeat={"frequency": "weekly"}))
    count = len(events_of(client))
    set_setting(key="recurrence.horizon_days", value=60)
    Series.objects.filter(item=item).update(expanded_to=timezone.localdate())
    top_up()
    assert len(events_of(client)) > count
    assert is_stored(item)


def test_what_is_missing_is_stored_by_the_job(client: Client) -> None:
    items = [make_choir(), make_item(events_type(), title="Talk", data={"event_date": date(repeat=None)})]
    gone = make_item(events_type(), title="Gone", data={"event_date": date(-400)})
    before = fetch(client)
    CalendarEntry.objects.all().delete()
    assert refresh() == 2
    assert refresh() == 0
    assert all(is_stored(item) for item in items)
    assert not CalendarEntry.objects.filter(item=gone).exists()
    assert fetch(client) == before


def test_nothing_is_stored_while_there_are_no_feeds(client: Client) -> None:
    switch_feature(name="events", on=False)
    item = make_choir()
    assert not CalendarEntry.objects.exists()
    switch_feature(name="events", on=True)
    before = fetch(client)
    assert refresh() == 1
    assert is_stored(item)
    assert fetch(client) == before


def test_a_new_item_is_not_asked_for_dates_and_replies() -> None:
    kind = events_type()
    with CaptureQueriesContext(connection) as captured:
        item = make_item(kind, title="Talk", data={"event_date": date(repeat=None)})
    assert not [query["sql"] for query in captured if "events_series" in query["sql"] or "events_rsvp" in query["sql"]]
    with CaptureQueriesContext(connection) as captured:
        update_item(item=item, values={"data": {"title": "Talks"}})
    assert [query["sql"] for query in captured if "events_series" in query["sql"]]


def test_a_file_shows_dates_whose_instants_the_calendar_cannot_hold(client: Client) -> None:
    """The last day of all ends after the last instant."""
    make_choir(event_date={"start": "9999-12-31", "all_day": True})
    (event,) = events_of(client, FILE)
    assert (event.value("DTSTART"), event.values("DTEND")) == ("99991231", [])
    assert events_of(client) == []
