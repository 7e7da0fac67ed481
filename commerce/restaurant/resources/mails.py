"""The parts of emails about orders: what was ordered, and for when."""

from django.utils import timezone

from cms_api.core.module import Block
from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.resources import sums_block
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import RestaurantOrder
from ..types.orders import Fulfillment
from . import sums


def summary(order: RestaurantOrder) -> Block:
    """Return the items of an order and its totals."""
    items = [(str(item), format_money(Money(item.total_cents, order.currency))) for item in order.items.all()]
    return sums_block(items, sums.of_order(order))


def when(order: RestaurantOrder) -> str:
    """Return how and when an order is given to its customer: `Pick-up: Mar 1, 2026, 6:30 PM`."""
    at = site_formats().datetime(timezone.localtime(order.wanted_at, site_timezone()))
    return f"{way(order)}: {at}"


def way(order: RestaurantOrder) -> str:
    """Return how an order is given to its customer: `Dine in at table 7`."""
    place = f" at table {order.table}" if order.table else ""
    return f"{Fulfillment(order.fulfillment).label}{place}"
