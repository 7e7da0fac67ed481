"""Cancels orders that are not paid, refunds those that are, and voids tickets. Freed seats are offered to the waiting list."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.common.selectors import format_money
from commerce.common.types.money import Money, payable_cents
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import close_payments, close_payments_later, request_refund
from commerce.sales.services import give_up_use

from ..models import AttendeeTicket, Reservation, TicketOrder, TicketOrderItem
from ..selectors.offers import CODES
from ..types.orders import ADMITS, PAYABLE, OrderStatus, TicketStatus
from . import notices
from .paying import ORDERS
from .seats import invalidate, lock_sales, release
from .waiting import end_offer, offer_seats

ON_ITS_WAY = "This order has just been paid, or its payment is on its way."


def cancel_order(*, order: TicketOrder, user: Any = None, send_email: bool = True) -> bool:
    """Cancel an order that is pending or free, and give back its seats; return False if it is cancelled already.

    Raises Invalid (`status`) if money was paid for it, or may be at this moment. Must not be called in a transaction: its payment
    page is closed at the provider first.
    """
    if order.is_pending and not close_payments(payable=PAYABLE, record_id=order.pk):
        raise Invalid({"status": ON_ITS_WAY})
    return _cancel(order, user, send_email)


@transaction.atomic
def _cancel(order: TicketOrder, user: Any, send_email: bool) -> bool:
    locked = ORDERS.lock(order.pk)
    if locked is None or locked.status == OrderStatus.CANCELLED:
        return False
    if not locked.is_pending and not (locked.status == OrderStatus.PAID and not locked.total_cents):
        raise Invalid({"status": "A paid order can't be cancelled. Refund it instead."})
    voided = void(locked, AttendeeTicket.objects.filter(order=locked), user)
    become_cancelled(locked)
    log(instance=locked, action="ticketing.cancel_order", user=user)
    notices.record_cancelled(locked)
    if send_email:
        notices.send_cancelled(locked, had_tickets=bool(voided))
        _notify_holders(locked, voided, includes_buyer=False)
    return True


def become_cancelled(order: TicketOrder, *, has_lapsed: bool = False) -> None:
    """Cancel an order that the caller has locked, and give back its seats and its use of a promo code."""
    now = timezone.now()
    lock_sales(order.event_id)
    give_up_use(CODES, order)
    reservation, order.reservation = order.reservation, None
    order.status, order.has_lapsed, order.is_processing = OrderStatus.CANCELLED, has_lapsed, False
    order.cancelled_at, order.updated_at = now, now
    order.save()
    close_payments_later(payable=PAYABLE, record_id=order.pk)
    if reservation is not None:
        end_offer(reservation)
        release(Reservation.objects.filter(pk=reservation.pk))
    offer_seats(order.event_id, order.start)


@transaction.atomic
def void_tickets(*, order: TicketOrder, tickets: Collection[int], user: Any = None) -> int:
    """Void tickets of a paid order, by their ids, so that others can have the seats, and notify the people who have them.

    Returns how many were valid until now. Raises Invalid (`status`) for an order that was not paid.
    """
    locked = _lock_paid(order)
    voided = void(locked, AttendeeTicket.objects.filter(order=locked, pk__in=tickets), user)
    _notify_holders(locked, voided, includes_buyer=True)
    return len(voided)


def void(order: TicketOrder, tickets: Any, user: Any) -> list[AttendeeTicket]:
    """Void those of some tickets that admit, of an order that the caller has locked, and return them."""
    now = timezone.now()
    lock_sales(order.event_id)
    voided: list[AttendeeTicket] = list(tickets.filter(status__in=ADMITS).order_by("pk"))
    if not voided:
        return []
    for ticket in voided:
        ticket.order = order
    ended = AttendeeTicket.objects.filter(pk__in=[ticket.pk for ticket in voided])
    ended.update(status=TicketStatus.VOID, voided_at=now, checked_in_at=None, checked_in_by=None, updated_at=now)
    log(instance=order, action="ticketing.void", user=user, data={"codes": [ticket.code for ticket in voided]})
    invalidate(order.event_id)
    offer_seats(order.event_id, order.start)
    return voided


def _notify_holders(order: TicketOrder, voided: Collection[AttendeeTicket], *, includes_buyer: bool) -> None:
    """Tell the people whose tickets are void; the buyer only if no other email says so."""
    by_email: dict[str, list[AttendeeTicket]] = {}
    for ticket in voided:
        if includes_buyer or ticket.email != order.email:
            by_email.setdefault(ticket.email, []).append(ticket)
    for email, tickets in by_email.items():
        name = tickets[0].attendee if tickets[0].holder_email else order.name
        notices.send_void(order, tickets, name=name, email=email)


@transaction.atomic
def refund_order(
    *,
    order: TicketOrder,
    tickets: Collection[int] | None = None,
    amount_cents: int | None = None,
    reason: str = "",
    user: Any = None,
) -> list[Any]:
    """Give money back for a paid order, and void `tickets` (ids; without them and an amount, all); return the refunds.

    Without an amount, it is the price of these tickets, or all that is left if no ticket remains. Raises Invalid: `status`,
    `amount_cents`, `reason`, `tickets`.
    """
    locked = _lock_paid(order)
    own = AttendeeTicket.objects.filter(order=locked)
    is_whole = tickets is None and amount_cents is None
    chosen = own.filter(status__in=ADMITS) if is_whole else own.filter(pk__in=tickets or (), status__in=ADMITS)
    found = list(chosen.select_related("item", "item__order"))
    if tickets is not None and len(found) != len(set(tickets)):
        raise Invalid({"tickets": "Choose tickets of this order that are not void."})
    left = refundable_cents(PAYABLE, locked.pk)
    amount = refund_amount(locked, found, left) if amount_cents is None else amount_cents
    if locked.total_cents and not 0 < amount <= left:
        most = format_money(Money(left, locked.currency))
        raise Invalid({"amount_cents": f"Enter an amount of at most {most}." if left else "Nothing is left to refund."})
    voided = void(locked, own.filter(pk__in=[each.pk for each in found]), user)
    _notify_holders(locked, voided, includes_buyer=not locked.total_cents)
    if not locked.total_cents:
        return []
    log(instance=locked, action="ticketing.refund", user=user, data={"cents": amount, "currency": locked.currency})
    return request_refund(payable=PAYABLE, record_id=locked.pk, amount_cents=amount, reason=reason, user=user)


def refund_amount(order: TicketOrder, tickets: Collection[AttendeeTicket], left: int) -> int:
    """Return what goes back with some tickets: their price, or all that is left if none remains that admits.

    The price is rounded to an amount that can be paid, as the order's total was.
    """
    remains = AttendeeTicket.objects.filter(order=order, status__in=ADMITS).exclude(pk__in=[each.pk for each in tickets]).exists()
    return min(left, payable_cents(sum(price_of(each) for each in tickets), order.currency)) if remains else left


def price_of(ticket: AttendeeTicket) -> int:
    """Return what a ticket cost, without the fee, so that all tickets of an item together cost what was paid for it."""
    item = ticket.item
    number = AttendeeTicket.objects.filter(item=item, pk__lt=ticket.pk).count()
    return share_of(item, number)


def share_of(item: TicketOrderItem, number: int) -> int:
    """Return what the ticket of an item with a number, from 0 on, cost without the fee."""
    return item.paid_cents * (number + 1) // item.quantity - item.paid_cents * number // item.quantity


def _lock_paid(order: TicketOrder) -> TicketOrder:
    locked = ORDERS.lock(order.pk)
    if locked is None or locked.status not in {OrderStatus.PAID, OrderStatus.REFUNDED}:
        raise Invalid({"status": "Only paid orders have tickets."})
    return locked
