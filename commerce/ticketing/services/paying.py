"""Ticket orders as records that customers pay for, and what happens once they have."""

from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.webhooks.services import emit
from commerce.common.types.money import Money
from commerce.payments.types import LONGEST_TO_PAY, SHORTEST_PAGE_LIFETIME, Due
from commerce.sales.services import SalePayable, redeem
from commerce.sales.types import Stage

from ..models import Reservation, TicketOrder, TicketType
from ..selectors.events import EventDate, date_at, event_by_id
from ..selectors.offers import CODES
from ..selectors.orders import ORDER_LINK
from ..selectors.seats import count_taken, types_of
from ..types.orders import PAYABLE, OrderStatus
from ..types.sales import WaitingStatus
from . import notices
from .issuing import issue_tickets
from .seats import invalidate_if_few, lock_sales, reserve_again

GONE = "The tickets of this order are gone."
NOT_PAID_IN_TIME = "The time to pay for this order has ended."
DATE_OFF = "This date doesn't take place, or is over."


class TicketOrders(SalePayable[TicketOrder]):
    model, payable, log_prefix, admin_page = TicketOrder, PAYABLE, "ticketing", "ticket_orders:inspect"
    paid_status, refunded_status = OrderStatus.PAID, OrderStatus.REFUNDED
    stages = {
        OrderStatus.PENDING: Stage.PENDING,
        OrderStatus.PAID: Stage.PAID,
        OrderStatus.REFUNDED: Stage.REFUNDED,
        OrderStatus.CANCELLED: Stage.CANCELLED,
    }
    # A free order; and money that arrives late, while the seats are free.
    more_transitions = {Stage.PAID: {Stage.CANCELLED}, Stage.CANCELLED: {Stage.PAID}}

    def lock(self, pk: int) -> TicketOrder | None:
        return lock_order(pk)

    def due(self, record: TicketOrder) -> Due:
        """Return the order's total; its seats are reserved until then. Raises Invalid (`status`)."""
        if not record.is_pending or record.is_processing:
            raise Invalid({"status": self.not_due})
        sales, reservation = lock_sales(record.event_id), record.reservation
        # The date is read with the sales locked: if it is cancelled next, the page of this payment is closed.
        date = date_of(record)
        if date is None or not date.takes_place:
            raise Invalid({"status": DATE_OFF})
        if has_waited_too_long(record):
            raise Invalid({"status": NOT_PAID_IN_TIME})
        until = timezone.now() + SHORTEST_PAGE_LIFETIME
        if sales is None or reservation is None or not reserve_again(reservation, date=date, until=until):
            raise Invalid({"status": GONE})
        page = ORDER_LINK.path(record)
        return Due(
            record.total,
            f"Tickets {record.number}: {record.title}",
            record.email,
            return_path=page,
            cancel_path=page,
            expires_at=until,
        )

    def amount_due(self, record: TicketOrder) -> Money | None:
        return record.total if record.is_pending or record.has_lapsed else None

    def apply_payment(self, record: TicketOrder, payment: Any) -> bool:
        """Apply a payment, unless the date is over. After the order has lapsed, it is applied if the seats are still free."""
        if payment.amount != record.total or not (record.is_pending or record.has_lapsed):
            return False
        date = date_of(record)
        if date is None or date.is_cancelled or _was_over_before(date):
            raise Invalid({"status": DATE_OFF})
        return become_paid(record, at=payment.paid_at)

    def apply_recorded(self, sale: TicketOrder, payment: Any) -> None:
        if not self.apply_payment(sale, payment):
            raise Invalid({"status": GONE})

    def notify_of_refund(self, record: TicketOrder, amount: Money) -> None:
        notices.record_refunded(record, amount)
        notices.send_refunded(record, amount)


ORDERS = TicketOrders()


def lock_order(pk: int) -> TicketOrder | None:
    return TicketOrder.objects.select_for_update(of=("self",)).select_related("reservation").filter(pk=pk).first()


def has_waited_too_long(order: TicketOrder) -> bool:
    """Return whether an order may not keep its seats any longer, however often somebody begins to pay for it."""
    return timezone.now() - order.created_at > LONGEST_TO_PAY


def date_of(order: TicketOrder) -> EventDate | None:
    """Return the date of an order as it is now; None if it was deleted."""
    event = event_by_id(order.event_id)
    return date_at(event, order.start) if event is not None else None


def _was_over_before(date: EventDate) -> bool:
    """Return whether a date was over before anybody could have opened a payment page that is still in use."""
    return date.ends_at is not None and date.ends_at < timezone.now() - SHORTEST_PAGE_LIFETIME


def become_paid(order: TicketOrder, *, at: datetime | None = None) -> bool:
    """Issue the tickets of an order that the caller has locked, and mail them.

    Returns False, changing nothing, if its seats are reserved no longer and others have them.
    """
    lock_sales(order.event_id)
    if not _has_seats(order):
        return False
    if order.promo is not None and not order.has_redeemed:
        # The money is for the agreed total, also if the code has been used up since.
        with suppress(Invalid), transaction.atomic():
            redeem(CODES, order, order.promo, order.subtotal_cents)
    now = timezone.now()
    if order.reservation is not None:
        _finish_offer(order.reservation)
        Reservation.objects.filter(pk=order.reservation.pk).delete()
    order.reservation = None
    order.status, order.is_processing, order.has_lapsed = OrderStatus.PAID, False, False
    order.paid_at, order.cancelled_at, order.updated_at = at or now, None, now
    order.save()
    tickets = issue_tickets(order)
    order.attendees = []
    order.save(update_fields=["attendees"])
    invalidate_if_few(order.event_id, order.start, order.ticket_count)
    log(instance=order, action="ticketing.pay_order", data={"cents": order.total_cents, "currency": order.currency})
    emit("ticket_order.paid", order)
    notices.record_paid(order)
    notices.send_tickets(order, tickets)
    notices.notify_business(order)
    return True


def _has_seats(order: TicketOrder) -> bool:
    """Return whether the seats of an order are reserved, or still free."""
    reservation = order.reservation
    if reservation is not None and reservation.is_active(timezone.now()):
        return True
    wanted = dict(order.items.values_list("ticket_type_id", "quantity"))
    types: list[TicketType] = types_of(order.event_id)
    if not wanted.keys() <= {each.pk for each in types}:
        return False
    # The money has arrived: it comes before people who wait, while nothing has been offered to them.
    return count_taken(order.event_id, order.start, types, but=reservation).fits(wanted)


def _finish_offer(reservation: Reservation) -> None:
    """Note that somebody on the waiting list has bought the seats that were offered."""
    offer = getattr(reservation, "offer", None)
    if offer is not None:
        offer.status, offer.reservation, offer.updated_at = WaitingStatus.BOUGHT, None, timezone.now()
        offer.save(update_fields=["status", "reservation", "updated_at"])
