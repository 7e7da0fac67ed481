"""Periodic work: reservations and offers that have ended, and orders that nobody paid in time."""

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.batches import Run
from commerce.sales.services import lapse_unpaid

from ..models import TicketOrder
from ..selectors.events import date_at, event_by_id
from ..selectors.offers import can_serve
from ..selectors.seats import dates_waited_for, ended_reservations
from ..types.orders import OrderStatus
from .ending import become_cancelled
from .paying import ORDERS
from .seats import lock_sales
from .waiting import end_waiting, offer_seats, release_ended

#: Records of each kind that one run of the job works on; the next run continues.
RECORDS_PER_RUN = 500


def release_seats() -> None:
    """Give back the seats of carts and offers that have ended, and of orders whose time to pay has.

    They are offered to people who wait.
    """
    now = timezone.now()
    ended = ended_reservations(now)
    unpaid = TicketOrder.objects.filter(
        status=OrderStatus.PENDING, is_processing=False, reservation__until__lte=now, reservation__is_placed=True
    )
    with Run() as run:
        run.each(ended.order_by("event_id").values_list("event_id", flat=True).distinct(), _release, limit=RECORDS_PER_RUN)
        run.each(dates_waited_for(), _serve, limit=RECORDS_PER_RUN)
        lapse_unpaid(ORDERS, unpaid.order_by("reservation__until", "pk"), _lapse, run=run)


@transaction.atomic
def _release(event_id: int) -> None:
    lock_sales(event_id)
    starts = set(ended_reservations(timezone.now()).filter(event_id=event_id).values_list("start", flat=True))
    release_ended(event_id)
    for start in sorted(starts):
        offer_seats(event_id, start)


def _serve(date_waited_for: tuple[int, str]) -> None:
    """Offer seats that became free by the clock or an edit, such as the start of the sales; end the waiting for a past date."""
    event_id, start = date_waited_for
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


def _lapse(order: TicketOrder) -> None:
    become_cancelled(order, has_lapsed=True)
    log(instance=order, action="ticketing.lapse")
