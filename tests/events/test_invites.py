"""The calendar part of a guest's mail."""

from typing import Any

import pytest
from icalendar import Calendar

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.flags.services import set_setting, switch_feature
from events.resources.calendars import file_of
from events.selectors.feeds import find_event
from events.services.invitations import invitation
from tests.builders import make_item
from tests.calendars.calendar_lines import Component, parse
from tests.events.builders import events_type

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _office(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.org"
    switch_feature(name="events", on=True)
    set_setting(key="site.name", value="Millrace")


def make_series() -> ContentItem:
    date = {
        "start": "2027-03-21T18:30",
        "end": "2027-03-21T20:00",
        "tz": "Europe/Paris",
        "repeat": {"frequency": "weekly", "count": 2},
    }
    return make_item(events_type(), title="Choir", data={"event_date": date, "venue": "Hall"})


def write(item: ContentItem, row: ContentItem | None = None, **changes: Any) -> bytes:
    given = {"name": "Dana", "email": "dana@example.org", "people": 3, **changes}
    (attachment,) = invitation(event=item, row=row or item, **given)
    return bytes(attachment.content)


def vevent(body: bytes) -> Component:
    (found,) = parse(body).all("VEVENT")
    return found


@pytest.mark.both_databases
def test_it_works() -> None:
    item = make_series()
    row = ContentItem.objects.get(owner=item)
    body = write(item, row)
    calendar = parse(body)
    assert calendar.value("METHOD") == "REQUEST"
    event = vevent(body)
    assert event.value("SUMMARY") == "Choir"
    assert event.value("LOCATION") == "Hall"
    assert (event.parameters("DTSTART"), event.value("DTSTART")) == (";TZID=Europe/Paris", "20270328T183000")
    assert event.value("STATUS") == "CONFIRMED"
    assert (event.parameters("ORGANIZER"), event.value("ORGANIZER")) == (";CN=Millrace", "mailto:office@example.org")
    assert event.value("ATTENDEE") == "mailto:dana@example.org"
    stance = ";CN=Dana;CUTYPE=INDIVIDUAL;PARTSTAT=ACCEPTED;ROLE=REQ-PARTICIPANT;RSVP=FALSE;X-NUM-GUESTS=2"
    assert event.parameters("ATTENDEE") == stance


def test_the_date_has_the_same_name_as_in_feeds() -> None:
    item = make_series()
    found, _ = find_event(item.type, item.slug)
    assert found
    feed = parse(file_of(item.type, found))
    uids = [event.value("UID") for event in feed.all("VEVENT")]
    rows = [item, ContentItem.objects.get(owner=item)]
    assert [vevent(write(item, row)).value("UID") for row in rows] == uids


def test_calling_off_cancels_the_same_date() -> None:
    item = make_series()
    before, body = vevent(write(item)), write(item, is_cancelled=True)
    assert parse(body).value("METHOD") == "CANCEL"
    after = vevent(body)
    assert after.value("STATUS") == "CANCELLED"
    assert after.value("UID") == before.value("UID")
    assert int(after.value("SEQUENCE")) == int(before.value("SEQUENCE")) + 1
    assert after.value("DTSTAMP") >= before.value("DTSTAMP")


def test_a_changed_event_is_a_later_invitation() -> None:
    item = make_series()
    row = ContentItem.objects.get(owner=item)
    before = int(vevent(write(item, row)).value("SEQUENCE"))
    item = update_item(item=item, values={"data": {"venue": "Garden"}})
    row.refresh_from_db()
    assert int(vevent(write(item, row)).value("SEQUENCE")) > before


@pytest.mark.parametrize(
    "name", ['Bob "B" Smith', "Doe; Jane, Dr: x", "a\r\nATTENDEE:mailto:x@y", "^n ^' 山茶花 🦆" * 12, "\0\x07\ud800x"]
)
def test_no_name_breaks_the_line(name: str) -> None:
    event = vevent(write(make_series(), name=name))
    assert event.values("ATTENDEE") == ["mailto:dana@example.org"]


def test_names_arrive_as_they_were_written() -> None:
    body = write(make_series(), name='Bob "B" Smith; 山茶花')
    (event,) = Calendar.from_ical(body).events
    assert event["ATTENDEE"].params["CN"] == 'Bob "B" Smith; 山茶花'


def test_an_address_stays_one_address() -> None:
    event = vevent(write(make_series(), email="a+b%c@example.org"))
    assert event.value("ATTENDEE") == "mailto:a+b%25c@example.org"


def test_without_a_business_address_the_sender_invites(settings: Any) -> None:
    settings.BUSINESS_EMAIL, settings.DEFAULT_FROM_EMAIL = "", "Site <from@example.org>"
    assert vevent(write(make_series())).value("ORGANIZER") == "mailto:from@example.org"
