"""The only date of an event is removed: as a date of a series that is removed, it stays for its guests, cancelled."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.services.items import unpublish_item, update_item
from events.models import CalendarInvite, Rsvp, Series
from events.selectors.rsvps import date_of
from events.services.dates import change_date
from events.types.plans import DateStatus
from tests.client import Api

from .guests import make_event, make_reply, soon, starts
from .test_moves import CONFIRMED, OFF, check, edit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]

DANA = "dana@example.org"


def remove_by_service(event: ContentItem, api: Api) -> None:
    event.refresh_from_db()
    update_item(item=event, values={"data": {"event_date": None}})


def remove_by_api(event: ContentItem, api: Api) -> None:
    assert api.patch(f"/content-items/{event.pk}", {"data": {"event_date": None}}).status_code == 200


@pytest.mark.parametrize("remove", [remove_by_service, remove_by_api])
@pytest.mark.both_databases
def test_it_works(remove: Callable[..., None], api: Api, client: Client) -> None:
    event = make_event()
    guest = make_reply(event)
    (start,) = starts(event)
    remove(event, api)
    check(DANA, CONFIRMED, OFF)
    guest.refresh_from_db()
    assert (guest.occurrence.owner_id, date_of(guest.occurrence)["start"]) == (event.pk, start)
    assert date_of(guest.occurrence)["cancelled"]
    event.refresh_from_db()
    assert (event.starts_at, event.data["event_date"]) == (None, None)
    assert "STATUS:CANCELLED" in client.get(f"/calendar/events/{event.slug}.ics").content.decode()
    # Other edits send nothing.
    update_item(item=event, values={"data": {"venue": "The barn"}})
    check(DANA, CONFIRMED, OFF)


def test_it_is_back(api: Api) -> None:
    event = make_event()
    guest = make_reply(event)
    date = dict(event.data["event_date"])
    remove_by_service(event, api)
    check(DANA, CONFIRMED, OFF)
    update_item(item=event, values={"data": {"event_date": date}})
    check(DANA, CONFIRMED, OFF, CONFIRMED)
    guest.refresh_from_db()
    assert guest.occurrence_id == event.pk
    edit(event, start=soon(9))
    check(DANA, CONFIRMED, OFF, CONFIRMED, ("event_moved", "REQUEST"))


def test_another_date_afterwards_is_another_one(api: Api) -> None:
    event = make_event()
    make_reply(event)
    remove_by_service(event, api)
    update_item(item=event, values={"data": {"event_date": {"start": soon(20), "tz": "Europe/Paris"}}})
    check(DANA, CONFIRMED, OFF)
    make_reply(event, soon(20))
    assert CalendarInvite.objects.count() == 2
    assert Rsvp.objects.count() == 2


def test_a_cancelled_or_past_date_is_removed_silently(api: Api) -> None:
    cancelled, past = make_event(), make_event(title="Concert")
    make_reply(cancelled)
    make_reply(past, email="noor@example.org")
    change_date(item=cancelled, start=starts(cancelled)[0], status=DateStatus.CANCELLED)
    check(DANA, CONFIRMED, OFF)
    edit(past, start=soon(-3))
    for event in (cancelled, past):
        remove_by_service(event, api)
    check(DANA, CONFIRMED, OFF)
    check("noor@example.org", CONFIRMED)


def test_a_draft(api: Api) -> None:
    event = make_event()
    make_reply(event)
    unpublish_item(item=event)
    remove_by_service(event, api)
    check(DANA, CONFIRMED, OFF)


def test_without_guests_nothing_stays(api: Api) -> None:
    event = make_event()
    remove_by_service(event, api)
    assert not event.owned.exists()
    assert not Series.objects.exists()


def test_the_preview_says_so(admin_client: Client) -> None:
    event = make_event()
    make_reply(event)
    given: dict[str, Any] = {"type": "events", "name": "data__event_date", "item": event.pk}
    page = admin_client.post("/admin/events/dates/preview/", given)
    assert "2 guests of 1 date that is cancelled are notified." in page.content.decode()
