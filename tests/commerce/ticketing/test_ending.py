"""Cancelling and refunding orders, and voiding tickets."""

from typing import Any

import pytest

from cms_api.mail.models import OutgoingMail
from commerce.payments.models import Payment, Refund
from commerce.payments.services import send_refund, start_payment
from commerce.ticketing.models import AttendeeTicket, PromoCode, TicketOrder
from commerce.ticketing.selectors.events import own_date
from commerce.ticketing.selectors.offers import free_seats
from commerce.ticketing.services.ending import cancel_order, refund_order, void_tickets

from .builders import adult, make_order, make_promo, make_sales, paid_order, type_of
from .refusals import refused


def free(event: Any) -> int | None:
    date = own_date(event)
    assert date
    return free_seats(date)[type_of(event).pk]


def send_refunds() -> None:
    for refund in Refund.objects.filter(status="pending"):
        send_refund(refund_id=refund.pk)


@pytest.mark.django_db(transaction=True)
def test_it_works() -> None:
    make_promo(max_uses=1)
    event = make_sales(adult(size=3))
    order = make_order(event, code="SPRING10", Adult=2)
    start_payment(payable="ticket_order", record_id=order.pk)
    assert free(event) == 1
    assert cancel_order(order=order)
    assert not cancel_order(order=order)
    order.refresh_from_db()
    assert (order.status, free(event), PromoCode.objects.get().used) == ("cancelled", 3, 0)
    assert Payment.objects.get().status == "expired"
    assert OutgoingMail.objects.filter(template="ticket_order_cancelled").count() == 1


@pytest.mark.both_databases
def test_a_paid_order_is_refunded_instead() -> None:
    assert "status" in refused(cancel_order, order=paid_order(make_sales()))


@pytest.mark.both_databases
def test_a_free_order_is_cancelled_with_its_tickets() -> None:
    event = make_sales(adult(pricing="free", size=1))
    order = make_order(event)
    assert free(event) == 0
    assert cancel_order(order=order)
    assert (free(event), order.tickets.get().status) == (1, "void")


@pytest.mark.django_db(transaction=True)
def test_one_ticket_is_refunded_then_the_rest() -> None:
    event = make_sales(adult(price_cents=3333, size=3))
    order = paid_order(event, code="", Adult=3)
    one = order.tickets.first()
    refund_order(order=order, tickets=[one.pk])
    send_refunds()
    order.refresh_from_db()
    assert (order.status, order.refunded_cents, free(event)) == ("paid", 3333, 1)
    refund_order(order=order)
    send_refunds()
    order.refresh_from_db()
    assert (order.status, order.refunded_cents, free(event)) == ("refunded", 9999, 3)
    assert set(order.tickets.values_list("status", flat=True)) == {"void"}
    assert OutgoingMail.objects.filter(template="tickets_refunded").count() == 2


@pytest.mark.django_db(transaction=True)
def test_an_amount_is_refunded_and_the_tickets_stay() -> None:
    order = paid_order(make_sales())
    refund_order(order=order, amount_cents=100, reason="The heating was off.")
    send_refunds()
    order.refresh_from_db()
    assert (order.status, order.refunded_cents, order.tickets.get().status) == ("paid", 100, "valid")


def test_it_cannot_be_refunded() -> None:
    order = paid_order(make_sales())
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"amount_cents": 3201}, "amount_cents"),
        ({"amount_cents": 0}, "amount_cents"),
        ({"amount_cents": -5}, "amount_cents"),
        ({"tickets": [999]}, "tickets"),
        ({"amount_cents": 5, "reason": "x" * 501}, "reason"),
    ]
    for options, path in refusals:
        assert path in refused(refund_order, order=order, **options), options
    assert order.tickets.get().status == "valid"


@pytest.mark.both_databases
def test_a_pending_order_has_no_tickets() -> None:
    order = make_order(make_sales())
    assert "status" in refused(refund_order, order=order)
    assert "status" in refused(void_tickets, order=order, tickets=[1])


def test_void_tickets_give_back_their_seats() -> None:
    event = make_sales(adult(size=2))
    order = paid_order(event, Adult=2)
    tickets = list(order.tickets.values_list("pk", flat=True))
    assert void_tickets(order=order, tickets=tickets[:1]) == 1
    assert void_tickets(order=order, tickets=tickets[:1]) == 0
    assert free(event) == 1
    assert AttendeeTicket.objects.filter(status="void", voided_at__isnull=False).count() == 1
    # The money stays until it is refunded.
    assert TicketOrder.objects.get().status == "paid"


def test_tickets_in_dinars_are_refunded_in_amounts_that_can_be_paid(
    settings: Any, django_capture_on_commit_callbacks: Any
) -> None:
    """The last one takes what is left of the total, which was rounded."""
    settings.SITE_CURRENCY = "kwd"
    order = paid_order(make_sales(adult(price_cents=1115)), Adult=3)
    assert order.total_cents == 3350
    amounts = []
    for ticket in order.tickets.order_by("pk"):
        with django_capture_on_commit_callbacks(execute=True):
            amounts += [each.amount_cents for each in refund_order(order=order, tickets=[ticket.pk])]
    assert amounts == [1120, 1120, 1110]
