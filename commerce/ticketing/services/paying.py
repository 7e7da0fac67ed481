"""Ticket orders as records that customers pay for, and what happens once they have."""

from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.webhooks.services import emit
from commerce.common.types.money import Money
from commerce.payments.types import SHORTEST_PAGE_LIFETIME
from commerce.sales.services import ReservedPayable, redeem
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
DATE_OFF = "This date doesn't take place, or is over."


class TicketOrders(ReservedPayable[TicketOrder]):
    model, payable, log_prefix, customer_link = TicketOrder, PAYABLE, "ticketing", ORDER_LINK
    admin_page, paid_action = "ticket_orders:inspect", "pay_order"
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
        return TicketOrder.objects.select_for_update(of=("self",)).select_related("reservation").filter(pk=pk).first()

    def take(self, record: TicketOrder, until: datetime) -> None:
        """Reserve the seats again, if their date takes place."""
        sales, reservation = lock_sales(record.event_id), record.reservation
        # The date is read with the sales locked: if it is cancelled next, the page of this payment is closed.
        date = date_of(record)
        if date is None or not date.takes_place:
            raise Invalid({"status": DATE_OFF})
        if sales is None or reservation is None or not reserve_again(reservation, date=date, until=until):
            raise Invalid({"status": GONE})

    def describe(self, record: TicketOrder) -> str:
        return f"Tickets {record.number}: {record.title}"

    def amount_due(self, record: TicketOrder) -> Money | None:
        return record.total if record.is_pending or record.has_lapsed else None

    def apply_payment(self, record: TicketOrder, payment: Any) -> bool:
        """Apply a payment, unless the date is over. After the order has lapsed, it is applied if the seats are still free."""
        date = date_of(record)
        if payment.amount == self.amount_due(record) and (date is None or date.is_cancelled or _was_over_before(date)):
            raise Invalid({"status": DATE_OFF})
        return super().apply_payment(record, payment)

    def become_paid(self, sale: TicketOrder, payment: Any = None) -> bool:
        """Issue the tickets of a locked order, and mail them, unless others have its seats by now."""
        lock_sales(sale.event_id)
        if not _has_seats(sale):
            return False
        if sale.promo is not None and not sale.has_redeemed:
            # The money is for the agreed total, also if the code has been used up since.
            with suppress(Invalid), transaction.atomic():
                redeem(CODES, sale, sale.promo, sale.subtotal_cents)
        if sale.reservation is not None:
            _finish_offer(sale.reservation)
            Reservation.objects.filter(pk=sale.reservation.pk).delete()
        sale.reservation, sale.has_lapsed, sale.cancelled_at = None, False, None
        self.mark_paid(sale, payment)
        tickets = issue_tickets(sale)
        sale.attendees = []
        sale.save(update_fields=["attendees"])
        invalidate_if_few(sale.event_id, sale.start, sale.ticket_count)
        emit("ticket_order.paid", sale)
        notices.record_paid(sale)
        notices.send_tickets(sale, tickets)
        notices.notify_business(sale)
        return True

    def apply_recorded(self, sale: TicketOrder, payment: Any) -> None:
        if not self.apply_payment(sale, payment):
            raise Invalid({"status": GONE})

    def notify_of_refund(self, record: TicketOrder, amount: Money) -> None:
        notices.record_refunded(record, amount)
        notices.send_refunded(record, amount)


ORDERS = TicketOrders()


def date_of(order: TicketOrder) -> EventDate | None:
    """Return the date of an order as it is now; None if it was deleted."""
    event = event_by_id(order.event_id)
    return date_at(event, order.start) if event is not None else None


def _was_over_before(date: EventDate) -> bool:
    """Return whether a date was over before anybody could have opened a payment page that is still in use."""
    return date.ends_at is not None and date.ends_at < timezone.now() - SHORTEST_PAGE_LIFETIME


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
