"""Tickets follow their dates: moved, cancelled, back, and vanished from the rule."""

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import WaitingEntry
from commerce.ticketing.selectors.events import date_at
from commerce.ticketing.services.announcing import message_attendees, send_announcements
from commerce.ticketing.services.paying import ORDERS
from commerce.ticketing.services.transferring import transfer_ticket
from events.services.dates import change_date
from events.types.plans import DateStatus

from .builders import WEEKLY, first_start, make_order, make_sales, paid_order, starts, type_of
from .refusals import refused


def mails(template: str) -> list[str]:
    """The addresses that got a mail."""
    send_announcements()
    return sorted(OutgoingMail.objects.filter(template=template).values_list("recipient", flat=True))


def set_date(event: ContentItem, **changes: Any) -> None:
    event.refresh_from_db()
    date = {**event.data["event_date"], **changes}
    update_item(item=event, values={"data": {"event_date": date}})


@pytest.mark.both_databases
def test_an_event_moves() -> None:
    event = make_sales()
    order = paid_order(event)
    start = order.start
    set_date(event, start="2031-05-06T20:00", end=None)
    order.refresh_from_db()
    ticket = order.tickets.get()
    assert order.start == ticket.start == "2031-05-06T20:00:00" != start
    assert mails("ticket_date_moved") == ["dana@example.com"]
    mail = OutgoingMail.objects.get(template="ticket_date_moved")
    assert b"METHOD:REQUEST" in mail.attachments.get().content
    assert mails("ticket_date_moved") == ["dana@example.com"]


def test_other_edits_tell_nobody() -> None:
    event = make_sales()
    paid_order(event)
    update_item(item=event, values={"data": {"title": "Another title"}})
    assert mails("ticket_date_moved") == []


def test_a_date_is_cancelled_and_back() -> None:
    event = make_sales(repeat=WEEKLY)
    first, second, third, *_ = starts(event)
    order = paid_order(event, second)
    paid_order(event, third)
    transfer_ticket(ticket=paid_order(event, second).tickets.get(), name="Sam", email="sam@example.com")
    pending = make_order(event, second)
    change_date(item=event, start=second, status=DateStatus.CANCELLED)
    assert mails("ticket_date_cancelled") == ["dana@example.com", "sam@example.com"]
    cancelled = OutgoingMail.objects.filter(template="ticket_date_cancelled").first()
    assert cancelled
    assert b"METHOD:CANCEL" in cancelled.attachments.get().content
    # Orders that are not paid cannot be any more.
    assert "status" in refused(ORDERS.due, pending)
    change_date(item=event, start=second, status=None)
    assert mails("ticket_date_restored") == ["dana@example.com", "sam@example.com"]
    assert order.tickets.get().status == "valid"
    assert first


def test_the_own_date_of_an_event_is_cancelled() -> None:
    event = make_sales()
    paid_order(event)
    change_date(item=event, start=first_start(event), status=DateStatus.CANCELLED)
    assert mails("ticket_date_cancelled") == ["dana@example.com"]


def test_a_date_with_tickets_is_not_skipped() -> None:
    event = make_sales(repeat=WEEKLY)
    second = starts(event)[1]
    paid_order(event, second)
    assert "start" in refused(change_date, item=event, start=second, status=DateStatus.SKIPPED)


def test_a_date_that_vanishes_from_the_rule_stays_cancelled() -> None:
    event = make_sales(repeat=WEEKLY)
    _, second, third, _ = starts(event)
    paid_order(event, second)
    set_date(event, repeat={"frequency": "weekly", "count": 1})
    rows = ContentItem.objects.filter(owner=event)
    assert [row.data["event_date"]["start"] for row in rows] == [second]
    assert rows.get().data["event_date"]["cancelled"] is True
    assert mails("ticket_date_cancelled") == ["dana@example.com"]
    assert third


def test_a_series_moves_with_its_tickets() -> None:
    event = make_sales(repeat=WEEKLY)
    first, second, *_ = starts(event)
    orders = [paid_order(event, first), paid_order(event, second, buyer_values={"email": "noor@example.com"})]
    set_date(event, start="2031-05-06T20:00", end=None)
    for order, start in zip(orders, ("2031-05-06T20:00:00", "2031-05-13T20:00:00"), strict=True):
        order.refresh_from_db()
        assert (order.start, order.tickets.get().start) == (start, start)
    assert not ContentItem.objects.filter(owner=event, data__event_date__cancelled=True).exists()
    assert mails("ticket_date_moved") == ["dana@example.com", "noor@example.com"]
    # A later edit says nothing again.
    set_date(event, end=None)
    assert mails("ticket_date_moved") == ["dana@example.com", "noor@example.com"]
    assert mails("ticket_date_cancelled") == []


def test_the_first_date_vanishes_and_its_tickets_keep_a_cancelled_one() -> None:
    event = make_sales(repeat=WEEKLY)
    first = starts(event)[0]
    order = paid_order(event, first)
    set_date(event, start="2031-05-06T20:00", end=None, repeat={"frequency": "weekly", "count": 3})
    order.refresh_from_db()
    assert order.start == first
    row = ContentItem.objects.get(owner=event, data__event_date__cancelled=True)
    assert row.data["event_date"]["start"] == first
    assert mails("ticket_date_cancelled") == ["dana@example.com"]
    # A later edit says nothing again.
    set_date(event, end=None)
    assert mails("ticket_date_cancelled") == ["dana@example.com"]


def test_dates_that_move_to_where_others_were() -> None:
    """Each date gets the local start of the next one, and is never taken for it."""
    event = make_sales(repeat={"frequency": "weekly", "count": 2})
    first, second = starts(event)
    orders = [paid_order(event, first), paid_order(event, second, buyer_values={"email": "noor@example.com"})]
    set_date(event, start=second, end=None, tz="Europe/London")
    for order in orders:
        order.refresh_from_db()
    third = (dt.datetime.fromisoformat(second) + dt.timedelta(days=7)).isoformat()
    assert [order.start for order in orders] == [second, third]
    assert [order.tickets.get().start for order in orders] == [second, third]


def test_a_message_to_everybody_with_a_ticket() -> None:
    event = make_sales(repeat=WEEKLY)
    first, second, *_ = starts(event)
    paid_order(event, first)
    paid_order(event, first, buyer_values={"email": "noor@example.com"})
    paid_order(event, second, buyer_values={"email": "sam@example.com"})
    assert message_attendees(event=event, start=first, subject="Doors", message="Open at seven.\nCome early.") == 2
    assert mails("ticket_message") == ["dana@example.com", "noor@example.com"]
    assert set(refused(message_attendees, event=event, start=first, subject="", message=" ")) == {"subject", "message"}
    assert "start" in refused(message_attendees, event=event, start=starts(event)[2], subject="a", message="b")


@pytest.mark.parametrize("is_sold", [True, False], ids=["with a ticket", "with people who wait"])
def test_a_date_does_not_move_to_where_tickets_of_a_cancelled_one_are(is_sold: bool) -> None:
    """Tickets of two dates at one start could not be told apart; nobody waits for a cancelled date any more."""
    event = make_sales(repeat=WEEKLY)
    first, second, third, *_ = starts(event)
    now = timezone.now()
    for start in (second, third):
        about = {"ticket_type": type_of(event), "email": "noor@example.com", "name": "Noor", "quantity": 1}
        WaitingEntry.objects.create(start=start, created_at=now, updated_at=now, **about)
    sold = [paid_order(event, start).tickets.get() for start in ([second, third] if is_sold else [third])]
    set_date(event, repeat={**WEEKLY, "interval": 2})
    before = (dt.datetime.fromisoformat(first) - dt.timedelta(days=7)).isoformat()
    if is_sold:
        assert set(refused(set_date, event, start=before)) == {"data.event_date"}
    else:
        set_date(event, start=before)
    for ticket, start in zip(sold, [second, third] if is_sold else [second], strict=True):
        ticket.refresh_from_db()
        assert ticket.start == start
    waiting = WaitingEntry.objects.filter(status="waiting").values_list("start", flat=True)
    assert sorted(waiting) == ([second, third] if is_sold else [second])


def test_the_only_date_is_removed() -> None:
    event = make_sales()
    order = paid_order(event)
    update_item(item=event, values={"data": {"event_date": None}})
    assert mails("ticket_date_cancelled") == ["dana@example.com"]
    assert b"METHOD:CANCEL" in OutgoingMail.objects.get(template="ticket_date_cancelled").attachments.get().content
    date = date_at(event, order.start)
    assert date
    assert date.is_cancelled
    assert refused(make_order, event, order.start) == {"occurrence": ["Tickets for this date aren't on sale."]}
