"""The lost site went on after its backup: calendars ignore a file whose SEQUENCE is lower than one that they got from it."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import Delivery
from commerce.booking.models import Appointment
from commerce.booking.services import cancel_appointment, reschedule_appointment
from events.models import CalendarEntry, Rsvp
from events.services.calendars import refresh
from events.services.mails import send_postponed_mails
from events.services.rsvps import cancel
from tests.builders import make_endpoint, make_item
from tests.commerce.booking.builders import at, make_appointment
from tests.events.guests import make_event, make_reply, soon

from .sites import Sites, run

FEED = "/calendar/events.ics"


@pytest.fixture
def archive(sites: Sites, tmp_path: Path) -> Path:
    for name in ("events", "booking", "webhooks"):
        switch_feature(name=name, on=True)
    return tmp_path / "site.tar"


def sent() -> list[tuple[str, int]]:
    """The METHOD and SEQUENCE of every calendar file that was sent, in order."""
    send_postponed_mails()
    files = [b"".join(bytes(each.content) for each in mail.attachments.all()) for mail in OutgoingMail.objects.order_by("pk")]
    return [(find("METHOD", file), int(find("SEQUENCE", file))) for file in files if file]


def find(name: str, file: bytes) -> str:
    found = re.search(f"^{name}:(.*?)\r$", file.decode(), re.MULTILINE)
    assert found
    return found[1]


def move_event() -> None:
    """Move the only event by a day, twice."""
    for days in (8, 9):
        event = ContentItem.objects.get(owner=None)
        update_item(item=event, values={"data": {"event_date": {**event.data["event_date"], "start": soon(days)}}})


def move_appointment() -> None:
    for hour in (10, 11):
        reschedule_appointment(appointment=Appointment.objects.get(), starts_at=at(hour=hour))


CHANGES: dict[str, tuple[Callable[[], Any], Callable[[], None], Callable[[], Any]]] = {
    "event": (lambda: make_reply(make_event()), move_event, lambda: cancel(rsvp=Rsvp.objects.get())),
    "appointment": (make_appointment, move_appointment, lambda: cancel_appointment(appointment=Appointment.objects.get())),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_a_cancellation_is_later_than_what_the_lost_site_sent(sites: Sites, archive: Path, kind: str) -> None:
    make, move, end = CHANGES[kind]
    make()
    assert sent() == [("REQUEST", 0)]
    run("backup", str(archive))
    move()
    assert sent()[-1] == ("REQUEST", 2)
    sites.use("second", migrated=False)
    run("restore", str(archive))
    end()
    method, sequence = sent()[-1]
    assert method == "CANCEL"
    assert sequence > 1000


def test_feeds_are_later_and_say_that_they_have_changed(sites: Sites, archive: Path) -> None:
    make_event()
    before = Client().get(FEED)
    assert find("SEQUENCE", before.content) == "0"
    run("backup", str(archive))
    move_event()
    assert find("SEQUENCE", Client().get(FEED).content) == "2"
    sites.use("second", migrated=False)
    run("restore", str(archive))
    after = Client().get(FEED, headers={"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200
    assert CalendarEntry.objects.get().sequence == int(find("SEQUENCE", after.content)) >= 1000
    again = {"If-None-Match": after.headers["ETag"]}
    assert Client().get(FEED, headers=again).status_code == 304
    # The same VEVENTs keep their SEQUENCE when they are stored again.
    CalendarEntry.objects.update(made_for=0)
    assert refresh() == 1
    assert Client().get(FEED, headers=again).status_code == 304


def test_a_backup_that_is_restored_again_leaves_out_more(sites: Sites, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site that was restored first has given out numbers too, and was lost within the hour."""
    make_endpoint("*")
    make_event()
    run("backup", str(archive))
    sites.use("second", migrated=False)
    run("restore", str(archive))
    move_event()
    known, last = newest_delivery(), CalendarEntry.objects.get().sequence
    really = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: really() + timedelta(hours=1))
    sites.use("third", migrated=False)
    run("restore", str(archive))
    make_item()
    assert newest_delivery() > known + 1_000_000
    assert CalendarEntry.objects.get().sequence > last + 1_000


def newest_delivery() -> int:
    return Delivery.objects.latest("pk").pk


def test_a_site_that_moves_keeps_them(sites: Sites, archive: Path) -> None:
    make_appointment()
    run("backup", str(archive))
    sites.use("second", migrated=False)
    run("restore", str(archive), "--send-queued")
    assert Appointment.objects.get().sequence == 0
