"""The calendar of a type, as programs that subscribe to it read it."""

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from icalendar import Calendar

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.services.items import delete_item, unpublish_item, update_item
from cms_api.flags.services import set_setting, switch_feature
from cms_api.http import page_cache
from events.models import CalendarEntry, Rsvp
from events.selectors.horizon import horizon
from events.services.calendars import refresh
from tests.builders import field, make_item, make_term, make_type
from tests.calendars.calendar_lines import Component, parse
from tests.events.builders import events_type, uid

pytestmark = pytest.mark.django_db

FEED = "/calendar/events.ics"
HOSTILE = 'Fête, \\N und; \\n C:\\New "it": 山茶花 🦆\r\nBEGIN:VEVENT\nx'


@pytest.fixture(autouse=True)
def _events_on(db: None) -> None:
    switch_feature(name="events", on=True)
    # The tests' dates are some years ahead.
    set_setting(key="recurrence.horizon_days", value=3650)


def day(days: int) -> str:
    return (timezone.localdate() + dt.timedelta(days=days)).isoformat()


def when(days: int = 10, clock: str = "18:30", hours: int = 2, tz: str = "Europe/Paris", **more: Any) -> dict[str, Any]:
    start = dt.datetime.fromisoformat(f"{day(days)}T{clock}")
    end = {"end": (start + dt.timedelta(hours=hours)).isoformat()} if hours else {}
    return {"start": start.isoformat(), **end, "tz": tz, **more}


def make_event(date: dict[str, Any] | None = None, title: str = "Concert", **data: Any) -> ContentItem:
    return make_item(events_type(), title=title, data={"event_date": date or when(), **data})


def read(client: Client, path: str = FEED) -> Component:
    response = client.get(path)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/calendar; charset=utf-8"
    return parse(response.content)


def events_of(client: Client, path: str = FEED) -> list[Component]:
    return read(client, path).all("VEVENT")


def only(client: Client) -> Component:
    (found,) = events_of(client)
    return found


def test_it_ends_with_the_horizon(client: Client) -> None:
    set_setting(key="recurrence.horizon_days", value=30)
    make_event(when(30), title="Within")
    make_event(when(31), title="Beyond")
    # It begins before, and goes on.
    make_event(when(29, hours=1000), title="Over it")
    assert [event.value("SUMMARY") for event in events_of(client)] == ["Over it", "Within"]


def test_it_works(client: Client) -> None:
    make_term(events_type(), name="Music, old")
    set_setting(key="site.name", value="Millrace")
    item = make_event(
        subtitle="A quartet",
        venue="Hall; north",
        venue_address={"street": "1 Mill Lane", "city": "Ely", "country": "UK", "latitude": 52.4, "longitude": 0.00001},
        details="<p>Come <strong>early</strong>.</p><p>Bring tea.</p>",
        category=["music-old"],
    )
    calendar = read(client)
    assert calendar.value("X-WR-CALNAME") == calendar.value("NAME") == "Events – Millrace"
    assert calendar.value("PRODID") == "-//testserver//Calendar//EN"
    assert calendar.value("REFRESH-INTERVAL") == "PT1H"
    (event,) = Calendar.from_ical(client.get(FEED).content).events
    assert str(event["SUMMARY"]) == "Concert"
    assert str(event["DESCRIPTION"]) == "A quartet\n\nCome early. Bring tea.\n\nhttp://testserver/events/concert"
    assert str(event["LOCATION"]) == "Hall; north, 1 Mill Lane, Ely, United Kingdom"
    assert event["GEO"].to_ical() == "52.4;1e-05"
    assert event["CATEGORIES"].cats == ["Music, old"]
    assert str(event["URL"]) == "http://testserver/events/concert"
    assert event["UID"] == uid(item)
    assert event.start == dt.datetime.fromisoformat(f"{day(10)}T18:30").replace(tzinfo=ZoneInfo("Europe/Paris"))
    assert event.end - event.start == dt.timedelta(hours=2)
    assert str(event["STATUS"]) == "CONFIRMED"
    assert event["DTSTAMP"].dt == event["LAST-MODIFIED"].dt == item.updated_at.replace(microsecond=0)


def test_every_date_of_a_series_is_an_event_of_its_own(client: Client) -> None:
    item = make_event(when(repeat={"frequency": "daily", "interval": 7, "count": 40}))
    rows = [item.pk, *ContentItem.objects.filter(owner=item).order_by("starts_at").values_list("pk", flat=True)]
    found = events_of(client)
    assert [event.value("UID") for event in found] == [uid(item, pk) for pk in rows]
    assert {event.value("DTSTART")[8:] for event in found} == {"T183000"}
    assert {event.value("URL") for event in found} == {"http://testserver/events/concert"}


def test_a_rule_without_end_goes_as_far_as_the_horizon(client: Client) -> None:
    set_setting(key="recurrence.horizon_days", value=60)
    make_event(when(repeat={"frequency": "daily"}))
    last = events_of(client)[-1].value("DTSTART")
    assert last.startswith(horizon().strftime("%Y%m%d"))


@pytest.mark.parametrize(
    ("value", "start", "end"),
    [
        ({"start": "2031-05-01", "all_day": True}, (";VALUE=DATE", "20310501"), "20310502"),
        ({"start": "2031-05-30", "end": "2031-05-31", "all_day": True}, (";VALUE=DATE", "20310530"), "20310601"),
        ({"start": "2031-05-01T10:00", "tz": "UTC"}, ("", "20310501T100000Z"), None),
        (
            {"start": "2031-05-01T10:00", "end": "2031-05-01T11:30:15", "tz": "Etc/UTC"},
            ("", "20310501T100000Z"),
            "20310501T113015Z",
        ),
        ({"start": "2031-05-01T10:00", "end": "2031-05-01T10:00", "tz": "UTC"}, ("", "20310501T100000Z"), None),
        ({"start": "2031-05-01T10:00", "tz": "Pacific/Chatham"}, (";TZID=Pacific/Chatham", "20310501T100000"), None),
        ({"start": "2031-05-01T10:00", "tz": "Etc/GMT+5"}, (";TZID=Etc/GMT+5", "20310501T100000"), None),
    ],
)
def test_times_are_written_as_they_are_meant(client: Client, value: Any, start: tuple[str, str], end: str | None) -> None:
    make_event(value)
    event = only(client)
    assert (event.parameters("DTSTART"), event.value("DTSTART")) == start
    assert event.values("DTEND") == ([end] if end else [])


def test_a_time_that_clocks_skip_is_written_as_they_show_it(client: Client) -> None:
    """Clocks in Paris go forward at two on 30 March 2031; the rule keeps its half past two."""
    date = {
        "start": "2031-03-30T02:30",
        "end": "2031-03-30T02:45",
        "tz": "Europe/Paris",
        "repeat": {"frequency": "daily", "count": 2},
    }
    make_event(date)
    assert [event.value("DTSTART") for event in events_of(client)] == ["20310330T033000", "20310331T023000"]
    assert [event.value("DTEND") for event in events_of(client)] == ["20310330T034500", "20310331T024500"]


def test_the_window_is_ninety_days_and_what_still_runs_then(client: Client) -> None:
    make_event(when(-92), title="gone")
    make_event(when(-88), title="recent")
    make_event({"start": day(-300), "end": day(-60), "all_day": True}, title="long")
    make_event(when(-100, repeat={"frequency": "weekly", "count": 4}), title="series")
    found = [(event.value("SUMMARY"), event.value("DTSTART")[:8]) for event in events_of(client)]
    compact = [day(days).replace("-", "") for days in (-300, -86, -79, -88)]
    assert sorted(found) == sorted([("long", compact[0]), ("series", compact[1]), ("series", compact[2]), ("recent", compact[3])])


def test_only_what_is_published_is_in_it(client: Client) -> None:
    item = make_event(when(repeat={"frequency": "weekly", "count": 3}))
    make_item(events_type(), title="Draft", status="draft", data={"event_date": when()})
    make_item(events_type(), title="Dateless")
    assert len(events_of(client)) == 3
    unpublish_item(item=item)
    assert events_of(client) == []
    update_item(item=item, values={"status": "published"})
    assert len(events_of(client)) == 3
    delete_item(item=item)
    assert events_of(client) == []


def test_a_cancelled_date_says_so(client: Client) -> None:
    item = make_event(when(repeat={"frequency": "weekly", "count": 3}))
    row = ContentItem.objects.filter(owner=item).order_by("-starts_at")[0]
    start = row.data["event_date"]["start"]
    Rsvp.objects.create(
        event=item, occurrence=row, occurrence_start=start, name="D", email="d@example.org", email_key="d@example.org"
    )
    update_item(item=item, values={"data": {"event_date": when()}})
    assert [(event.value("UID"), event.value("STATUS")) for event in events_of(client)] == [
        (uid(item), "CONFIRMED"),
        (uid(item, row.pk), "CANCELLED"),
    ]


def test_a_cancelled_date_stays_in_the_feed_when_its_event_is_long_over(client: Client) -> None:
    item = make_event(when(-200, repeat={"frequency": "daily", "interval": 150, "count": 2}))
    row = ContentItem.objects.get(owner=item)
    start = row.data["event_date"]["start"]
    Rsvp.objects.create(
        event=item, occurrence=row, occurrence_start=start, name="D", email="d@example.org", email_key="d@example.org"
    )
    update_item(item=item, values={"data": {"event_date": when(-200)}})
    assert [event.value("STATUS") for event in events_of(client)] == ["CANCELLED"]


def test_the_number_grows_with_each_change_and_the_name_stays(client: Client) -> None:
    item = make_event(when(repeat={"frequency": "weekly", "count": 3}))
    seen = []
    for change in (
        {"title": "Other"},
        {"venue": "Garden"},
        {"event_date": when(clock="19:00", repeat={"frequency": "weekly", "count": 3})},
    ):
        before = {event.value("UID"): event for event in events_of(client)}
        item = update_item(item=item, values={"data": change})
        after = {event.value("UID"): event for event in events_of(client)}
        seen.append(len(before.keys() & after.keys()))
        for key in before.keys() & after.keys():
            assert int(after[key].value("SEQUENCE")) > int(before[key].value("SEQUENCE"))
            assert after[key].value("LAST-MODIFIED") >= before[key].value("LAST-MODIFIED")
    assert seen == [3, 3, 3]


@pytest.mark.parametrize("repeated", [1, 8])
def test_every_text_arrives_as_it_was_written(client: Client, repeated: int) -> None:
    item = make_event()
    title, place = (HOSTILE * repeated)[:255], "é," * 100
    data = {**item.data, "title": title, "venue": place, "subtitle": "\0\x07\ud800" if connection.vendor == "sqlite" else "\x07"}
    ContentItem.objects.filter(pk=item.pk).update(title=title, data=data, excerpt=HOSTILE * 5)
    CalendarEntry.objects.all().delete()
    read(client)
    (event,) = Calendar.from_ical(client.get(FEED).content).events
    assert str(event["SUMMARY"]) == title.replace("\r\n", "\n")
    assert str(event["LOCATION"]) == place
    description = " ".join((HOSTILE * 5).split())
    assert str(event["DESCRIPTION"]).strip() == f"{description}\n\nhttp://testserver/events/concert"


def test_values_of_another_type_of_field_are_left_out(client: Client) -> None:
    item = make_event()
    for value in (
        7,
        "x",
        [],
        {},
        {"start": None},
        {"start": "x", "all_day": True},
        {"start": "x", "tz": "../etc"},
        {"start": 3, "tz": "UTC"},
        {"start": "x", "tz": "UTC"},
        {"start": "2031-01-01T10:00:00", "end": "z", "tz": "UTC", "repeat": 3},
    ):
        ContentItem.objects.filter(pk=item.pk).update(data={"event_date": value, "venue": [], "venue_address": "x", "details": 4})
        CalendarEntry.objects.all().delete()
        page_cache.clear()
        assert events_of(client) == []


def test_an_empty_calendar_is_a_valid_one(client: Client) -> None:
    events_type()
    calendar = read(client)
    assert calendar.all("VEVENT") == []
    assert len(calendar.all("VTIMEZONE")) == 1


def dated_type(**changes: Any) -> ContentType:
    return make_type(field("at", "datetime"), slug="talks", **changes)


def test_every_type_with_a_date_has_one(client: Client) -> None:
    switch_feature(name="events", on=False)
    make_item(dated_type(has_detail=False), title="Talk", data={"at": when()})
    (event,) = events_of(client, "/calendar/talks.ics")
    assert event.value("SUMMARY") == "Talk"
    assert event.values("URL") == event.values("DESCRIPTION") == []


def test_what_has_none_is_not_found(client: Client) -> None:
    make_event()
    make_type(slug="plain")
    switch_feature(name="events", on=False)
    for path in (FEED, "/calendar/events/concert.ics", "/calendar/plain.ics", "/calendar/nothing.ics", "/calendar/..%2f.ics"):
        assert client.get(path).status_code == 404, path
    switch_feature(name="events", on=True)
    assert client.get(FEED).status_code == 200


@pytest.mark.parametrize("slug", ["%00", "EVENTS", "events.ics", "é", "a" * 5000, "events%0d%0aX", "events/../events", ""])
def test_hostile_slugs_are_not_found(client: Client, slug: str) -> None:
    make_event()
    assert client.get(f"/calendar/{slug}.ics").status_code == 404


def test_it_is_only_read(client: Client) -> None:
    make_event()
    assert client.head(FEED).status_code == 200
    assert client.head(FEED).content == b""
    strict = Client(enforce_csrf_checks=True)
    for method in ("post", "put", "delete"):
        assert getattr(strict, method)(FEED).status_code == 405


def test_a_feed_that_has_not_changed_is_not_sent_again(client: Client) -> None:
    item = make_event(when(repeat={"frequency": "weekly", "count": 3}))
    first = client.get(FEED)
    page_cache.clear()
    second = client.get(FEED)
    assert second.content == first.content
    assert second.headers["ETag"] == first.headers["ETag"]
    assert client.get(FEED, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    assert client.get(FEED, headers={"If-Modified-Since": second.headers["Last-Modified"]}).status_code == 304
    update_item(item=item, values={"data": {"title": "Other"}})
    third = client.get(FEED, headers={"If-None-Match": first.headers["ETag"]})
    assert third.status_code == 200
    assert b"SUMMARY:Other" in third.content


def test_who_is_signed_in_gets_the_same(client: Client, admin_client: Client) -> None:
    make_event()
    first = admin_client.get(FEED)
    assert first.content == client.get(FEED).content
    assert admin_client.get(FEED, headers={"If-None-Match": first.headers["ETag"]}).status_code == 304


def test_the_window_moves_at_midnight_of_the_site(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    set_setting(key="site.timezone", value="Pacific/Auckland")
    make_event(when(-89))
    assert len(events_of(client)) == 1
    later = timezone.now() + dt.timedelta(days=3)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert events_of(client) == []


def statements(client: Client) -> int:
    page_cache.clear()
    with CaptureQueriesContext(connection) as captured:
        client.get(FEED)
    return len([query for query in captured if "content_contentitem" in query["sql"]])


@pytest.mark.both_databases
def test_any_number_of_dates_is_read_with_one_statement_and_two_more_where_none_is_stored(client: Client) -> None:
    make_term(events_type(), name="Music")
    for wanted in (1, 10, 100):
        while ContentItem.objects.filter(owner=None).count() < min(wanted, 20):
            make_event(when(), category=["music"])
        if wanted == 100:
            make_event(when(repeat={"frequency": "daily", "count": 80}))
        assert len(events_of(client)) >= wanted
        refresh()
        assert statements(client) == 1
        CalendarEntry.objects.all().delete()
        assert statements(client) == 3
