"""Single dates of a series that are skipped or cancelled, shown so everywhere, and put back."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.content.models import ContentItem
from cms_api.content.services.items import save_draft, update_item
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.http import page_cache
from cms_api.mail.models import MailAttachment
from events.models import DateChange, Rsvp
from events.services.capacity import set_capacity
from events.services.dates import change_date
from events.services.mails import send_postponed_mails
from events.services.occurrences import expand, top_up
from events.services.rsvps import cancel
from events.types.plans import DateStatus
from tests.builders import field, make_item, make_type
from tests.calendars.calendar_lines import Component, parse

from .guests import WEEKLY, mails, make_event, make_reply, soon, starts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]

SKIPPED, CANCELLED = DateStatus.SKIPPED, DateStatus.CANCELLED


def dates(event: ContentItem) -> dict[str, bool]:
    """The days of an event's dates, and whether each is cancelled."""
    rows = [ContentItem.objects.get(pk=event.pk), *ContentItem.objects.filter(owner=event).order_by("starts_at")]
    found = [row.data["event_date"] for row in rows]
    return {date["start"][:10]: bool(date.get("cancelled")) for date in found}


def vevents(client: Client, event: ContentItem, *, feed: bool = False) -> dict[str, Component]:
    page_cache.clear()
    answer = client.get("/calendar/events.ics" if feed else f"/calendar/events/{event.slug}.ics")
    found = parse(answer.content).all("VEVENT")
    return {each.value("DTSTART")[:8]: each for each in found}


def day(start: str) -> str:
    return start[:10].replace("-", "")


def page_days(client: Client, event: ContentItem) -> list[str]:
    html = client.get(f"/events/{event.slug}").content.decode()
    listed = html.partition('<ol class="dates__list">')[2].partition("</ol>")[0]
    return re.findall(r'<li>.*?datetime="([0-9-]{10})', listed, re.DOTALL)


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    first, second, third, fourth = starts(event)
    assert change_date(item=event, start=second, status=SKIPPED)
    assert change_date(item=event, start=third, status=CANCELLED)
    assert dates(event) == {first[:10]: False, third[:10]: True, fourth[:10]: False}
    assert page_days(client, event) == [first[:10], third[:10], fourth[:10]]
    for feed in (False, True):
        found = vevents(client, event, feed=feed)
        assert {at: each.value("STATUS") for at, each in found.items()} == {
            day(first): "CONFIRMED",
            day(third): "CANCELLED",
            day(fourth): "CONFIRMED",
        }
    assert not change_date(item=event, start=third, status=CANCELLED)
    assert change_date(item=event, start=second, status=None)
    assert change_date(item=event, start=third, status=None)
    assert not change_date(item=event, start=third, status=None)
    assert set(dates(event).values()) == {False}
    assert page_days(client, event) == [each[:10] for each in (first, second, third, fourth)]
    assert not DateChange.objects.exists()


@pytest.mark.both_databases
def test_a_cancelled_date_keeps_its_row_and_address_and_counts_up(client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    second = starts(event)[1]
    row = ContentItem.objects.get(owner=event, data__event_date__start=second)
    before = vevents(client, event)[day(second)]
    change_date(item=event, start=second, status=CANCELLED)
    after = vevents(client, event)[day(second)]
    assert after.value("UID") == before.value("UID")
    assert int(after.value("SEQUENCE")) > int(before.value("SEQUENCE"))
    again = ContentItem.objects.get(owner=event, data__event_date__start=second)
    assert (again.pk, again.slug) == (row.pk, row.slug)


def test_changes_outlive_edits() -> None:
    event = make_event(repeat={"frequency": "weekly"})
    _, second, third, *_ = starts(event)
    change_date(item=event, start=second, status=SKIPPED)
    change_date(item=event, start=third, status=CANCELLED)
    before = dates(event)
    assert second[:10] not in before
    update_item(item=event, values={"data": {"venue": "The barn"}})
    assert dates(event) == before
    rule = {"start": soon(), "tz": "Europe/Paris", "repeat": {"frequency": "weekly", "count": 60}}
    update_item(item=event, values={"data": {"event_date": rule}})
    found = dates(event)
    assert len(found) == 59
    assert second[:10] not in found
    assert found[third[:10]]
    expand(ContentItem.objects.get(pk=event.pk))
    assert dates(event) == found


def test_changes_outlive_the_horizon() -> None:
    event = make_event(repeat={"frequency": "weekly"})
    late = starts(event)[50]
    change_date(item=event, start=late, status=SKIPPED)
    set_setting(key="recurrence.horizon_days", value=100)
    update_item(item=event, values={"data": {"venue": "x"}})
    set_setting(key="recurrence.horizon_days", value=730)
    top_up()
    found = dates(event)
    assert len(found) > 60
    assert late[:10] not in found


@pytest.mark.parametrize("repeat", [None, WEEKLY])
def test_the_own_date_of_an_event_can_be_cancelled(client: Client, repeat: Any) -> None:
    event = make_event(repeat=repeat)
    start = starts(event)[0]
    assert change_date(item=event, start=start, status=CANCELLED)
    assert not change_date(item=event, start=start, status=CANCELLED)
    assert dates(event)[start[:10]]
    assert vevents(client, event)[day(start)].value("STATUS") == "CANCELLED"
    if not repeat:
        html = client.get(f"/events/{event.slug}").content.decode()
        assert "Cancelled:" in html
        assert 'id="rsvp"' not in html
        assert "Cancelled:" in client.get("/events").content.decode()
    update_item(item=event, values={"data": {"venue": "The barn"}})
    date = {"start": soon(), "end": None, "tz": "Europe/Paris", "repeat": repeat}
    update_item(item=event, values={"data": {"event_date": date}})
    assert dates(event)[start[:10]]
    assert change_date(item=event, start=start, status=None)
    assert not dates(event)[start[:10]]
    change_date(item=event, start=start, status=CANCELLED)
    update_item(item=event, values={"data": {"event_date": {**date, "start": soon(8)}}})
    # A series moves with its cancelled dates; a single event takes place at its new date.
    assert any(dates(event).values()) == bool(repeat)


def test_a_draft_stays_a_draft_when_the_date_is_cancelled() -> None:
    event = make_event()
    save_draft(item=event, values={"data": {"venue": "Draft venue"}})
    change_date(item=event, start=starts(event)[0], status=CANCELLED)
    event.refresh_from_db()
    assert event.has_unpublished_changes
    assert event.get_latest_revision_as_object().data["venue"] == "Draft venue"
    assert event.data["venue"] == "The mill"


def test_what_cannot_be_skipped() -> None:
    event = make_event(repeat=WEEKLY)
    first, second, *_ = starts(event)
    make_reply(event, second)
    make_reply(event, first, email="first@example.org")
    refused = (
        (first, "People are coming"),
        (second, "People are coming"),
        ("2020-01-01", "Choose"),
        ("", "Choose"),
        ("\0", "Choose"),
    )
    for start, said in refused:
        with pytest.raises(Invalid, match=said):
            change_date(item=event, start=start, status=SKIPPED)
    assert len(dates(event)) == 4
    single, pair = make_event(), make_event(repeat={"frequency": "weekly", "count": 2})
    change_date(item=pair, start=starts(pair)[0], status=SKIPPED)
    for item, start in ((single, starts(single)[0]), (pair, starts(pair)[1])):
        with pytest.raises(Invalid, match="At least one date must remain"):
            change_date(item=item, start=start, status=SKIPPED)


def sent(template: str) -> list[tuple[str, str]]:
    """The recipients of a mail, and the method of its attachment."""
    found = []
    for mail in mails(template):
        files = [bytes(each.content) for each in MailAttachment.objects.filter(mail=mail)]
        found.append((mail.recipient, "".join(part.decode() for part in re.findall(rb"METHOD:(\w+)", b"".join(files)))))
    return found


def test_people_are_notified_of_dates_that_are_cancelled_and_back() -> None:
    event = make_event(repeat=WEEKLY)
    _, second, third, _ = starts(event)
    set_capacity(event=event, start=second, places=2)
    make_reply(event, second)
    make_reply(event, second, email="waits@example.org")
    make_reply(event, third, email="other@example.org")
    cancel(rsvp=make_reply(event, second, email="off@example.org", party_size=1))
    change_date(item=event, start=second, status=CANCELLED)
    send_postponed_mails()
    send_postponed_mails()
    assert sent("event_cancelled") == [("dana@example.org", "CANCEL"), ("waits@example.org", "")]
    assert mails("event_cancelled")[0].subject == "Open rehearsal is cancelled"
    change_date(item=event, start=second, status=None)
    send_postponed_mails()
    assert sent("event_rsvp")[-1] == ("dana@example.org", "REQUEST")
    assert len(mails("event_rsvp")) == 3
    assert sent("event_rsvp_waiting")[-1] == ("waits@example.org", "")


@pytest.mark.parametrize("repeat", [None, WEEKLY])
def test_people_are_notified_when_their_own_date_is_cancelled(repeat: Any) -> None:
    event = make_event(repeat=repeat)
    make_reply(event, starts(event)[0])
    change_date(item=event, start=starts(event)[0], status=CANCELLED)
    send_postponed_mails()
    assert sent("event_cancelled") == [("dana@example.org", "CANCEL")]


def test_people_are_notified_when_their_date_moves() -> None:
    event = make_event()
    make_reply(event)
    update_item(item=event, values={"data": {"venue": "The barn"}})
    send_postponed_mails()
    assert not mails("event_moved")
    update_item(item=event, values={"data": {"event_date": {"start": soon(30), "tz": "Europe/Paris"}}})
    send_postponed_mails()
    assert sent("event_moved") == [("dana@example.org", "REQUEST")]
    assert "/cancel" in mails("event_moved")[0].text
    assert Rsvp.objects.get().occurrence_start == f"{soon(30)}:00"


def test_only_an_edit_that_moves_the_date_looks_for_what_moves_with_it() -> None:
    event = make_event()
    for data, is_moved in ({"venue": "The barn"}, False), ({"event_date": {"start": soon(30), "tz": "Europe/Paris"}}, True):
        with CaptureQueriesContext(connection) as captured:
            update_item(item=event, values={"data": data})
        assert any("occurrence_start" in query["sql"] for query in captured) == is_moved


def test_people_are_notified_when_the_rule_loses_their_date() -> None:
    event = make_event(repeat=WEEKLY)
    first, _, third, _ = starts(event)
    make_reply(event, third)
    make_reply(event, first, email="first@example.org")
    update_item(item=event, values={"data": {"event_date": {"start": soon(1), "tz": "Europe/Paris", "repeat": None}}})
    send_postponed_mails()
    assert sorted(sent("event_cancelled")) == [("dana@example.org", "CANCEL"), ("first@example.org", "CANCEL")]
    update_item(item=event, values={"data": {"venue": "The barn"}})
    send_postponed_mails()
    assert len(mails("event_cancelled")) == 2


def test_dates_of_other_types() -> None:
    kind = make_type(field("at", "datetime", facet=True), slug="gatherings")
    item = make_item(kind, data={"at": {"start": soon(), "tz": "Europe/Paris", "repeat": WEEKLY}})
    rows = ContentItem.objects.filter(owner=item).order_by("starts_at")
    change_date(item=item, start=rows[0].data["at"]["start"], status=SKIPPED)
    assert rows.count() == 2
