"""Periodic work: online orders that were not paid in time."""

from django.utils import timezone
from wagtail.log_actions import log

from commerce.common.services.networks import forget_networks
from commerce.sales.services import lapse_unpaid, reserved_until_now

from ..models import RestaurantOrder
from ..types.orders import OrderStatus
from .capacity import give_back_slot
from .paying import ORDERS


def lapse_orders() -> None:
    """Cancel online orders whose time to pay has ended, so that others can have their slots (periodic job)."""
    lapsed = RestaurantOrder.objects.filter(reserved_until_now(OrderStatus.PENDING))
    lapse_unpaid(ORDERS, lapsed.order_by("reserved_until", "pk"), _lapse)


def forget_networks_of_orders() -> None:
    """Delete the networks of orders of former days (periodic job)."""
    forget_networks(RestaurantOrder.objects.exclude(status=OrderStatus.PENDING))


def _lapse(order: RestaurantOrder) -> None:
    now = timezone.now()
    give_back_slot(order)
    order.status, order.cart, order.reserved_until, order.network = OrderStatus.CANCELLED, None, None, ""
    order.cancelled_at, order.updated_at = now, now
    order.save()
    log(instance=order, action="restaurant.lapse_order")
