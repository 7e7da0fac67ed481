"""People on the waiting list of a date, or with an offer, when the date moves, is cancelled or is back."""

from typing import Any

import pytest
from django.test import Client

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, update_item
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import Reservation, WaitingEntry
from commerce.ticketing.selectors.orders import OFFER_LINK, RESERVATION_LINK
from commerce.ticketing.services import changes
from commerce.ticketing.services.announcing import message_attendees, send_announcements
from commerce.ticketing.services.ending import void_tickets
from commerce.ticketing.services.housekeeping import release_seats
from commerce.ticketing.services.waiting import leave_waiting_list
from events.services.dates import change_date
from events.types.plans import DateStatus

from .builders import WEEKLY, adult, first_start, make_reservation, make_sales, paid_order, starts, wait
from .page_builders import text_of
from .refusals import refused
from .test_changed_dates import set_date


def sold_out(**values: Any) -> tuple[ContentItem, Any, WaitingEntry]:
    """An event whose only seat is sold, its order, and somebody who waits."""
    event = make_sales(adult(size=1), **values)
    order = paid_order(event)
    return event, order, wait(event, start=order.start)


def offered() -> tuple[ContentItem, WaitingEntry]:
    event, order, entry = sold_out()
    void_tickets(order=order, tickets=list(order.tickets.values_list("pk", flat=True)))
    entry.refresh_from_db()
    assert entry.status == "offered"
    OutgoingMail.objects.all().delete()
    return event, entry


def mails(email: str = "noor@example.com") -> list[str]:
    send_announcements()
    return list(OutgoingMail.objects.filter(recipient=email).order_by("pk").values_list("template", flat=True))


def set_status(event: ContentItem, start: str, status: DateStatus | None) -> None:
    event.refresh_from_db()
    assert change_date(item=event, start=start, status=status)


@pytest.mark.both_databases
def test_it_works() -> None:
    event, _, entry = sold_out()
    set_date(event, start="2031-05-06T20:00", end=None)
    assert mails() == ["ticket_waiting", "ticket_waiting_moved"]
    mail = OutgoingMail.objects.get(template="ticket_waiting_moved")
    assert "May 6, 2031" in mail.text
    assert "/leave" in mail.text
    set_status(event, "2031-05-06T20:00:00", DateStatus.CANCELLED)
    assert mails()[2:] == ["ticket_waiting_cancelled"]
    set_status(event, "2031-05-06T20:00:00", None)
    assert mails()[3:] == ["ticket_waiting_restored"]
    entry.refresh_from_db()
    assert entry.status == "waiting"
    # The attendee got the emails about the ticket instead.
    own = ["tickets_bought", "ticket_date_moved", "ticket_date_cancelled", "ticket_date_restored"]
    assert mails("dana@example.com") == own


def test_somebody_with_a_ticket_gets_one_email() -> None:
    event, _, _ = sold_out()
    wait(event, email="dana@example.com")
    set_date(event, start="2031-05-06T20:00", end=None)
    assert mails("dana@example.com") == ["tickets_bought", "ticket_waiting", "ticket_date_moved"]


def test_messages_of_staff_are_for_attendees() -> None:
    event, order, _ = sold_out()
    message_attendees(event=event, start=order.start, subject="Doors", message="Come early.")
    assert mails() == ["ticket_waiting"]


def test_an_offer_whose_date_moves() -> None:
    event, entry = offered()
    set_date(event, start="2031-05-06T20:00", end=None)
    assert mails() == ["ticket_offer_moved"]
    assert OFFER_LINK.path(entry) in OutgoingMail.objects.get().text


def test_an_offer_whose_date_is_cancelled(client: Client) -> None:
    event, entry = offered()
    start = first_start(event)
    link = OFFER_LINK.path(entry)
    assert "Reserved until" in text_of(client.get(link))
    set_status(event, start, DateStatus.CANCELLED)
    for answer in (client.get(link), client.post(link)):
        assert answer.status_code == 404
        assert "This date is cancelled" in text_of(answer)
        assert "You keep your place on the waiting list" in text_of(answer)
    assert mails() == ["ticket_waiting_cancelled"]
    entry.refresh_from_db()
    assert (entry.status, entry.reservation) == ("waiting", None)
    assert not Reservation.objects.exists()
    set_status(event, start, None)
    release_seats()
    assert mails() == ["ticket_waiting_cancelled", "ticket_offer"]
    assert "Reserved until" in text_of(client.get(link))
    assert leave_waiting_list(entry=entry)
    set_status(event, start, DateStatus.CANCELLED)
    answer = client.get(link)
    assert "This offer has ended" in text_of(answer)
    assert "You keep your place" not in text_of(answer)


def test_a_reservation_whose_date_is_cancelled(client: Client) -> None:
    event = make_sales()
    reservation = make_reservation(event)
    set_status(event, reservation.start, DateStatus.CANCELLED)
    answer = client.get(RESERVATION_LINK.path(reservation))
    assert answer.status_code == 404
    assert "This date is cancelled" in text_of(answer)
    # Its tickets may not be on sale at all any more.
    assert f'<a class="button" href="/events/{event.slug}">View the event</a>' in answer.content.decode()


def test_a_date_that_only_people_wait_for_stays_as_cancelled() -> None:
    event = make_sales(adult(size=0), repeat=WEEKLY)
    entry = wait(event, start=starts(event)[3])
    set_date(event, repeat={**WEEKLY, "count": 2})
    assert mails() == ["ticket_waiting", "ticket_waiting_cancelled"]
    set_date(event, repeat=WEEKLY)
    assert mails()[2:] == ["ticket_waiting_restored"]
    entry.refresh_from_db()
    assert entry.status == "waiting"


def test_the_only_date_is_removed() -> None:
    event = make_sales(adult(size=0))
    wait(event)
    update_item(item=event, values={"data": {"event_date": None}})
    assert mails() == ["ticket_waiting", "ticket_waiting_cancelled"]


def test_the_event_is_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_sales(adult(size=0))
    wait(event)
    wait(event, email="sam@example.com")
    monkeypatch.setattr(changes, "MAX_WAITING_TO_NOTIFY", 1)
    assert refused(delete_item, item=event) == {"item": [changes.TOO_MANY_WAIT]}
    monkeypatch.setattr(changes, "MAX_WAITING_TO_NOTIFY", 2)
    delete_item(item=event)
    for email in ("noor@example.com", "sam@example.com"):
        assert mails(email) == ["ticket_waiting", "ticket_waiting_cancelled"]
