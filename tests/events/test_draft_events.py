"""Guests of an event that is changed while it is not published: cancellations are sent at once, other changes with the event."""

from collections.abc import Callable
from typing import Any

import pytest

from cms_api.content.models import ContentItem
from cms_api.content.services.items import publish_item, unpublish_item, update_item
from cms_api.core import jobs
from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from events.models import Rsvp
from events.services.capacity import set_capacity
from events.services.dates import change_date
from events.services.mails import JOB, send_postponed_mails
from events.types.plans import DateStatus
from tests.client import Api

from .guests import WEEKLY, make_event, make_reply, soon, starts
from .test_moves import edit, entries

pytestmark = pytest.mark.django_db

CONFIRMED = ("event_rsvp", "REQUEST")
DANA = "dana@example.org"


@pytest.fixture(autouse=True)
def _events_on(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.org"
    switch_feature(name="events", on=True)


def draft_event(**values: Any) -> ContentItem:
    """An event that was published when Dana replied to its last date."""
    event = make_event(**values)
    make_reply(event, starts(event)[-1])
    return unpublish_item(item=event)


def publish(event: ContentItem) -> None:
    event.refresh_from_db()
    assert publish_item(item=event)


def methods(email: str = DANA) -> list[tuple[str, str]]:
    send_postponed_mails()
    return [(template, method) for template, method, *_ in entries(email)]


@pytest.mark.parametrize("repeat", [None, WEEKLY])
@pytest.mark.both_databases
def test_it_works(repeat: Any) -> None:
    event = draft_event(repeat=repeat)
    edit(event, start=soon(9))
    assert methods() == [CONFIRMED]
    edit(event, start=soon(10))
    assert methods() == [CONFIRMED]
    publish(event)
    assert methods() == [CONFIRMED, ("event_moved", "REQUEST")]
    (_, _, uid, sequence), (_, _, uid_after, sequence_after) = entries(DANA)
    assert uid == uid_after
    assert sequence < sequence_after
    edit(event, title="Another title")
    assert methods() == [CONFIRMED, ("event_moved", "REQUEST")]


def test_over_the_api(api: Api) -> None:
    event = make_event()
    make_reply(event)
    for change in ({"status": "draft"}, {"data": {"event_date": {"start": soon(9)}}}, {"status": "published"}):
        assert api.patch(f"/content-items/{event.pk}", change).status_code == 200
        send_postponed_mails()
    assert methods() == [CONFIRMED, ("event_moved", "REQUEST")]


@pytest.mark.both_databases
def test_publishing_sends_the_notices_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    event = draft_event()
    edit(event, start=soon(9))
    sent: list[str] = []
    monkeypatch.setattr(jobs, "run_soon", sent.append)
    edit(event, venue="The barn")
    assert not sent
    publish(event)
    assert sent == [JOB]
    send_postponed_mails()
    edit(event, venue="The mill")
    assert len(sent) == 1


def cancel_date(event: ContentItem) -> None:
    event.refresh_from_db()
    change_date(item=event, start=starts(event)[-1], status=DateStatus.CANCELLED)


def vanish(event: ContentItem) -> None:
    edit(event, repeat={**WEEKLY, "count": 3})


@pytest.mark.parametrize("cancel", [cancel_date, vanish])
def test_a_cancelled_date_of_a_draft(cancel: Callable[[ContentItem], None]) -> None:
    event = draft_event(repeat=WEEKLY)
    cancel(event)
    off = [CONFIRMED, ("event_cancelled", "CANCEL")]
    assert methods() == off
    assert event.slug not in OutgoingMail.objects.get(template="event_cancelled").text
    publish(event)
    assert methods() == off


def test_a_date_that_is_back_waits() -> None:
    event = draft_event(repeat=WEEKLY)
    cancel_date(event)
    off = methods()
    event.refresh_from_db()
    change_date(item=event, start=starts(event)[-1], status=None)
    assert methods() == off
    publish(event)
    assert methods() == [*off, CONFIRMED]


def test_people_who_are_confirmed_just_before_it_is_unpublished() -> None:
    event = make_event()
    set_capacity(event=event, places=1)
    make_reply(event, party_size="1")
    make_reply(event, email="noor@example.org", party_size="1")
    set_capacity(event=event, places=2)
    unpublish_item(item=event)
    waiting = [("event_rsvp_waiting", "")]
    assert methods("noor@example.org") == waiting
    publish(event)
    assert methods("noor@example.org") == [*waiting, CONFIRMED]


def test_nobody_is_notified_of_a_date_that_is_over_by_then() -> None:
    event = draft_event()
    edit(event, start=soon(9))
    edit(event, start=soon(-3))
    publish(event)
    assert methods() == [CONFIRMED]
    assert not Rsvp.objects.exclude(mail_due_at=None).exists()


def test_an_event_that_moves_and_is_published_in_one_edit() -> None:
    event = draft_event()
    update_item(item=event, values={"status": "published", "data": {"event_date": {"start": soon(9)}}})
    assert methods() == [CONFIRMED, ("event_moved", "REQUEST")]
