"""Periodic work: reservations and offers that have ended, and orders that nobody paid in time."""

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from commerce.payments.services import close_payments

from ..models import TicketOrder
from ..selectors.events import date_at, event_by_id
from ..selectors.offers import can_serve
from ..selectors.seats import dates_waited_for, ended_reservations
from ..types.orders import PAYABLE, OrderStatus
from .ending import become_cancelled
from .paying import lock_order
from .seats import lock_sales
from .waiting import end_waiting, offer_seats, release_ended

#: Records that one run of the job looks at; the next run continues.
RECORDS_PER_RUN = 500


def release_seats() -> None:
    """Give back the seats of carts and offers that have ended, and of orders whose time to pay has.

    They are offered to people who wait. Payment pages are closed at the provider first; an order that was paid at the last moment
    is settled instead.
    """
    now = timezone.now()
    ended = list(ended_reservations(now).values_list("event_id", "start")[:RECORDS_PER_RUN])
    for event_id in sorted({event_id for event_id, _ in ended}):
        _release(event_id, sorted({start for each, start in ended if each == event_id}))
    for event_id, start in list(dates_waited_for()[:RECORDS_PER_RUN]):
        _serve(event_id, start)
    unpaid = TicketOrder.objects.filter(
        status=OrderStatus.PENDING, is_processing=False, reservation__until__lte=now, reservation__is_placed=True
    )
    for pk in list(unpaid.order_by("reservation__until", "pk").values_list("pk", flat=True)[:RECORDS_PER_RUN]):
        if close_payments(payable=PAYABLE, record_id=pk):
            _lapse(pk)


@transaction.atomic
def _release(event_id: int, starts: list[str]) -> None:
    lock_sales(event_id)
    release_ended(event_id)
    for start in starts:
        offer_seats(event_id, start)


def _serve(event_id: int, start: str) -> None:
    """Offer seats that became free by the clock or an edit, such as the start of the sales; end the waiting for a past date."""
    event = event_by_id(event_id)
    date = date_at(event, start) if event is not None else None
    if date is None:
        return
    if date.is_over:
        end_waiting(event_id, start)
    elif can_serve(date):
        with transaction.atomic():
            lock_sales(event_id)
            offer_seats(event_id, start)


@transaction.atomic
def _lapse(pk: int) -> None:
    order = lock_order(pk)
    if order is None or not order.is_pending or order.is_processing:
        return
    if order.reservation is None or order.reservation.until > timezone.now():
        return
    become_cancelled(order, has_lapsed=True)
    log(instance=order, action="ticketing.lapse")
