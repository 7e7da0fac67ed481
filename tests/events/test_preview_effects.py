"""The preview says who is notified of what, as saving does it: of cancelled dates, of those that are back, and of drafts."""

import re
from typing import Any

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.services.items import unpublish_item
from events.services.dates import change_date
from events.types.plans import DateStatus

from .guests import WEEKLY, make_event, make_reply, soon, starts
from .test_moves import edit, entries

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("events_on", "own_budgets")]

NAME = "data__event_date"
DANA = "dana@example.org"


def text(client: Client, event: ContentItem, **changes: str) -> str:
    """The preview of the event's date with some changes to its inputs."""
    event.refresh_from_db()
    date = event.data["event_date"]
    day, time = date["start"][:16].split("T")
    given = {"start_date": day, "start_time": time, "tz": date["tz"]}
    if date["repeat"]:
        given |= {"interval": "1", "frequency": "weekly", "ends": "count", "count": str(date["repeat"]["count"])}
    about = {"name": NAME, "type": "events", "item": str(event.pk)}
    sent = {f"{NAME}-{part}": value for part, value in {**given, **changes}.items()}
    html = client.post("/admin/events/dates/preview/", {**about, **sent}).content.decode()
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def cancelled_event(**values: Any) -> ContentItem:
    """An event whose first date is cancelled, with a guest."""
    event = make_event(**values)
    make_reply(event, starts(event)[0], party_size="1")
    change_date(item=event, start=starts(event)[0], status=DateStatus.CANCELLED)
    return event


@pytest.mark.both_databases
def test_a_cancelled_event_with_another_end(admin_client: Client) -> None:
    event = cancelled_event()
    assert "notified" not in text(admin_client, event, end_date=soon()[:10], end_time="22:00")
    before = entries(DANA)
    edit(event, end=soon().replace("18:30", "22:00"))
    assert entries(DANA) == before


def test_a_cancelled_event_that_moves(admin_client: Client) -> None:
    event = cancelled_event()
    found = text(admin_client, event, start_date=soon(9)[:10])
    assert "1 guest of 1 date that takes place after all is notified." in found
    assert "(1 guest)" in found
    edit(event, start=soon(9))
    assert [template for template, *_ in entries(DANA)] == ["event_rsvp", "event_rsvp"]


def test_a_series_with_a_cancelled_first_date(admin_client: Client) -> None:
    event = cancelled_event(repeat=WEEKLY)
    second = starts(event)[1]
    make_reply(event, second, email="noor@example.org", party_size="3")
    found = text(admin_client, event, start_time="19:00")
    assert "3 guests of 1 date that moves are notified." in found
    assert "1 guest of" not in found
    # The list of dates marks the one that stays cancelled, at its new time.
    assert found.count("Cancelled.") == 1


def test_later_dates_are_marked_at_their_new_time(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    change_date(item=event, start=starts(event)[2], status=DateStatus.CANCELLED)
    assert text(admin_client, event, start_time="19:00").count("Cancelled.") == 1


def test_a_date_that_is_back(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    make_reply(event, starts(event)[3], party_size="2")
    edit(event, repeat={**WEEKLY, "count": 2})
    assert "2 guests of 1 date that takes place after all are notified." in text(admin_client, event, count="4")


def test_a_draft(admin_client: Client) -> None:
    event = make_event(repeat=WEEKLY)
    make_reply(event, starts(event)[1], party_size="1")
    make_reply(event, starts(event)[3], email="noor@example.org", party_size="1")
    unpublish_item(item=event)
    found = text(admin_client, event, start_time="19:00", count="3")
    assert "1 guest of 1 date that moves is notified once the event is published." in found
    assert "1 guest of 1 date that is cancelled is notified." in found
