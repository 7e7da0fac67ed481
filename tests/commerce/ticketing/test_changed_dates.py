"""Tickets follow their dates: moved, cancelled, back, vanished from the rule, and of events that are deleted."""

from typing import Any

from cms_api.content.models import ContentItem
from cms_api.content.services.items import delete_item, update_item
from cms_api.mail.models import OutgoingMail
from commerce.ticketing.models import AttendeeTicket, TicketOrder
from commerce.ticketing.services.announcing import message_attendees, send_announcements
from commerce.ticketing.services.paying import ORDERS
from commerce.ticketing.services.transferring import transfer_ticket
from events.services.dates import change_date
from events.types.plans import DateStatus

from .builders import WEEKLY, first_start, make_order, make_sales, paid_order, starts
from .refusals import refused


def mails(template: str) -> list[str]:
    """The addresses that got a mail."""
    send_announcements()
    return sorted(OutgoingMail.objects.filter(template=template).values_list("recipient", flat=True))


def set_date(event: ContentItem, **changes: Any) -> None:
    event.refresh_from_db()
    date = {**event.data["event_date"], **changes}
    update_item(item=event, values={"data": {"event_date": date}})


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


def test_the_first_date_moves_and_its_tickets_keep_a_cancelled_one() -> None:
    event = make_sales(repeat=WEEKLY)
    first = starts(event)[0]
    order = paid_order(event, first)
    set_date(event, start="2031-05-06T20:00", end=None)
    order.refresh_from_db()
    assert order.start == first
    row = ContentItem.objects.get(owner=event, data__event_date__cancelled=True)
    assert row.data["event_date"]["start"] == first
    assert mails("ticket_date_cancelled") == ["dana@example.com"]
    # A later edit says nothing again.
    set_date(event, end=None)
    assert mails("ticket_date_cancelled") == ["dana@example.com"]


def test_an_event_is_deleted() -> None:
    event = make_sales(repeat=WEEKLY)
    order = paid_order(event, starts(event)[1])
    pk = event.pk
    delete_item(item=event)
    assert mails("ticket_date_cancelled") == ["dana@example.com"]
    order.refresh_from_db()
    assert (order.event_id, order.title) == (pk, "Open rehearsal")
    assert AttendeeTicket.objects.filter(event_id=pk).count() == 1
    assert TicketOrder.objects.count() == 1


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
