"""Periodic work: reservations that have ended, and reminders of orders that were not paid."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import batches
from cms_api.flags.selectors import get_setting
from commerce.common.services.networks import forget_networks
from commerce.payments.selectors import unsettled_payments
from commerce.sales.services import lapse_unpaid, reserved_until_now

from ..models import Order
from ..selectors.orders import filter_abandoned
from ..types.orders import PAYABLE, OrderStatus
from . import notices
from .paying import ORDERS
from .placing import give_back

#: Orders that one run of a job works on; the next run continues.
ORDERS_PER_RUN = 500
#: The age up to which a customer is reminded, so that an order of last year is left alone.
REMIND_WITHIN = timedelta(days=2)


def release_lapsed_orders() -> None:
    """Give back what orders reserve whose time to pay has ended (periodic job)."""
    lapsed = Order.objects.filter(reserved_until_now(OrderStatus.PENDING))
    lapse_unpaid(ORDERS, lapsed.order_by("reserved_until", "pk"), _release)


def forget_networks_of_orders() -> None:
    """Delete the networks of orders of former days (periodic job)."""
    forget_networks(Order.objects.exclude(status=OrderStatus.PENDING))


def _release(order: Order) -> None:
    if give_back(order):
        order.save(update_fields=["reserved_until", "has_redeemed"])
        log(instance=order, action="shop.release_order")


def remind_customers() -> None:
    """Remind each customer once of an order that was not paid, with a link to do so."""
    if not get_setting("shop.reminders"):
        return
    recent = filter_abandoned(Order.objects.filter(reminded_at=None, created_at__gt=timezone.now() - REMIND_WITHIN))
    batches.each(recent.order_by("created_at", "pk").values_list("pk", flat=True), _remind, limit=ORDERS_PER_RUN)


@transaction.atomic
def _remind(pk: int) -> None:
    order = Order.objects.select_for_update().filter(pk=pk, status=OrderStatus.PENDING, reminded_at=None).first()
    if order is None or order.is_processing:
        return
    order.reminded_at = timezone.now()
    order.save(update_fields=["reminded_at"])
    # Somebody who has bought since, perhaps with another cart, or whose money could not be applied, is not asked again.
    has_bought = Order.objects.filter(email=order.email, paid_at__gt=order.created_at).exists()
    if not has_bought and not unsettled_payments(PAYABLE, order.pk).exists():
        log(instance=order, action="shop.remind_customer")
        notices.send_reminder(order)
