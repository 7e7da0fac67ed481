"""Periodic work: online orders that were not paid in time."""

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import batches
from commerce.common.services.networks import forget_networks
from commerce.payments.services import close_payments

from ..models import RestaurantOrder
from ..types.orders import PAYABLE, OrderStatus
from .capacity import give_back_slot
from .paying import lock_order

#: Orders that one run of the job works on; the next run continues.
ORDERS_PER_RUN = 500


def lapse_orders() -> None:
    """Cancel online orders whose time to pay has ended, so that others can have their slots.

    Their payment pages are closed at the provider first; one that was paid at the last moment is settled instead.
    """
    lapsed = RestaurantOrder.objects.filter(reserved_until__lte=timezone.now(), status=OrderStatus.PENDING, is_processing=False)
    batches.each(lapsed.order_by("reserved_until", "pk").values_list("pk", flat=True), _close, limit=ORDERS_PER_RUN)


def forget_networks_of_orders() -> None:
    """Delete the networks of orders of former days (periodic job)."""
    forget_networks(RestaurantOrder.objects.exclude(status=OrderStatus.PENDING))


def _close(pk: int) -> None:
    if close_payments(payable=PAYABLE, record_id=pk):
        _lapse(pk)


@transaction.atomic
def _lapse(pk: int) -> None:
    order, now = lock_order(pk), timezone.now()
    if order is None or not order.is_pending or order.is_processing:
        return
    if order.reserved_until is None or order.reserved_until > now:
        return
    give_back_slot(order)
    order.status, order.cart, order.reserved_until, order.network = OrderStatus.CANCELLED, None, None, ""
    order.cancelled_at, order.updated_at = now, now
    order.save()
    log(instance=order, action="restaurant.lapse_order")
