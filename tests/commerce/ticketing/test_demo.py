"""Demo tickets: every status of orders and tickets, consistent, and the same on a second run."""

from collections import Counter
from typing import Any

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Contact
from commerce.payments.models import Payment, Refund
from commerce.payments.selectors import applied_payments, refunded_cents
from commerce.ticketing.demo import DATA, load
from commerce.ticketing.models import (
    AttendeeTicket,
    PromoCode,
    Quota,
    Reservation,
    TicketOrder,
    TicketSales,
    TicketType,
    WaitingEntry,
)
from commerce.ticketing.selectors.events import date_at, event_by_id
from commerce.ticketing.selectors.offers import free_seats
from commerce.ticketing.selectors.seats import count_taken, types_of
from commerce.ticketing.services.announcing import send_announcements
from commerce.ticketing.services.housekeeping import release_seats
from commerce.ticketing.types.orders import OrderStatus, TicketStatus
from commerce.ticketing.types.sales import Seats
from events.demo import load as load_events

TABLES = (TicketSales, Quota, TicketType, PromoCode, Reservation, TicketOrder, AttendeeTicket, WaitingEntry, Payment, Refund)


def test_it_works(ticketing: None) -> None:
    switch_feature(name="crm", on=True)
    load_events(1, lambda count: None)
    OutboxEvent.objects.all().delete()
    load(1, lambda count: None)
    check_numbers()
    check_consistency()
    before = rows()
    load(1, lambda count: None)
    assert rows() == before
    # Nobody hears of it, nor later: the jobs leave the orders alone.
    release_seats()
    send_announcements()
    assert not OutgoingMail.objects.exists()
    assert not OutboxEvent.objects.exists()
    assert not Contact.objects.exists()
    assert rows() == before
    # A larger scale adds to it.
    load(3, lambda count: None)
    assert TicketOrder.objects.count() == 3 * len(DATA["orders"])


def rows() -> list[Any]:
    return [list(table.objects.values()) for table in TABLES]  # type: ignore[attr-defined]


def check_numbers() -> None:
    orders = Counter(TicketOrder.objects.values_list("status", flat=True))
    tickets = Counter(AttendeeTicket.objects.values_list("status", flat=True))
    assert (set(orders), set(tickets)) == (set(OrderStatus), set(TicketStatus))
    assert min(*orders.values(), *tickets.values()) >= 3
    repeating = AttendeeTicket.objects.filter(order__is_repeating=True)
    assert repeating.values("start").distinct().count() >= 2
    assert Quota.objects.get().types.count() == 2
    assert WaitingEntry.objects.count() == len(DATA["waiting"]["entries"])


def check_consistency() -> None:
    for order in TicketOrder.objects.prefetch_related("items"):
        assert order.refunded_cents == refunded_cents("ticket_order", order.pk)
        paid = applied_payments("ticket_order", order.pk)
        assert sum(each.amount_cents for each in paid) == (order.total_cents if order.paid_at else 0)
        assert order.tickets.count() == (order.ticket_count if order.paid_at else 0)
        assert (order.reservation is not None) == order.is_pending
    for event, start in set(AttendeeTicket.objects.values_list("event_id", "start")):
        seats = count_taken(event, start, types_of(event))
        assert Seats(seats.limits, {}).fits(seats.taken)
    waited_for = WaitingEntry.objects.filter(status="waiting")[0]
    waited_event = event_by_id(waited_for.ticket_type.event_id)
    assert waited_event
    date = date_at(waited_event, waited_for.start)
    assert date
    assert free_seats(date) == {waited_for.ticket_type_id: 0}
    assert PromoCode.objects.get().used == TicketOrder.objects.filter(has_redeemed=True).count() == 1
