"""Orders on their way through the kitchen, and their end."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import close_payments, close_payments_later, record_payment, request_refund

from ..models import RestaurantOrder
from ..types.orders import OPEN, PAYABLE, OrderStatus
from . import notices
from .capacity import give_back_slot
from .paying import ORDERS

#: The statuses from which an order gets into each.
STARTS = (OrderStatus.PLACED,)
READY_FROM = (OrderStatus.PLACED, OrderStatus.PREPARING)
COMPLETES = (OrderStatus.PREPARING, OrderStatus.READY)
CANCELS = (OrderStatus.PENDING, OrderStatus.PLACED, OrderStatus.PREPARING, OrderStatus.READY)


@transaction.atomic
def start_preparing(*, order: RestaurantOrder, user: Any = None) -> bool:
    """Accept an order: the kitchen prepares it. Return False if it does already. Raises Invalid (`status`)."""
    locked = _in_status(order, OrderStatus.PREPARING, STARTS)
    if locked is None:
        return False
    _move(locked, OrderStatus.PREPARING, "restaurant.prepare_order", user)
    return True


@transaction.atomic
def mark_ready(*, order: RestaurantOrder, user: Any = None) -> bool:
    """Mark an order as ready, and email its customer. Return False if it is already. Raises Invalid (`status`)."""
    locked = _in_status(order, OrderStatus.READY, READY_FROM)
    if locked is None:
        return False
    locked.ready_at = timezone.now()
    _move(locked, OrderStatus.READY, "restaurant.order_ready", user)
    notices.send_ready(locked)
    return True


@transaction.atomic
def complete_order(*, order: RestaurantOrder, method: str = "cash", user: Any = None) -> bool:
    """Complete an order; one that is paid at the store has been, by `method`. Return False if it is completed already.

    Raises Invalid (`status`, `method`).
    """
    locked = _in_status(order, OrderStatus.COMPLETED, COMPLETES)
    if locked is None:
        return False
    if locked.is_unpaid:
        paid = record_payment(payable=PAYABLE, record_id=locked.pk, amount_cents=locked.total_cents, method=method, user=user)
        locked.paid_at = paid.paid_at
    locked.completed_at = timezone.now()
    locked.ready_at = locked.ready_at or locked.completed_at
    _move(locked, OrderStatus.COMPLETED, "restaurant.complete_order", user)
    notices.record_completed(locked)
    return True


def cancel_order(*, order: RestaurantOrder, user: Any = None, send_email: bool = True) -> bool:
    """Cancel an order that is not completed, and refund an online payment; return False if it is cancelled already.

    Raises Invalid (`status`), also if a payment is on its way. Must not be called in a transaction: its payment page is closed at
    the provider first.
    """
    if order.is_pending and not close_payments(payable=PAYABLE, record_id=order.pk):
        raise Invalid({"status": "This order has just been paid, or its payment is on its way."})
    return _cancel(order, user, send_email)


@transaction.atomic
def _cancel(order: RestaurantOrder, user: Any, send_email: bool) -> bool:
    locked = _in_status(order, OrderStatus.CANCELLED, CANCELS)
    if locked is None:
        return False
    give_back_slot(locked)
    locked.cancelled_at, locked.cart, locked.reserved_until = timezone.now(), None, None
    _move(locked, OrderStatus.CANCELLED, "restaurant.cancel_order", user)
    close_payments_later(payable=PAYABLE, record_id=locked.pk)
    notices.record_cancelled(locked)
    left = refundable_cents(PAYABLE, locked.pk)
    if send_email:
        notices.send_cancelled(locked, refund_cents=left)
    if left:
        request_refund(payable=PAYABLE, record_id=locked.pk, amount_cents=left, reason="Order cancelled", user=user)
    return True


def _in_status(order: RestaurantOrder, to: OrderStatus, allowed: tuple[OrderStatus, ...]) -> RestaurantOrder | None:
    """Return the order, locked; None if it has the status already. Raises Invalid if it cannot get there."""
    locked = ORDERS.lock(order.pk)
    if locked is None:
        raise Invalid({"status": "This order has been deleted."})
    if locked.status == to:
        return None
    if locked.status not in allowed:
        raise Invalid({"status": f"This order is {locked.get_status_display().lower()}."})
    return locked


def _move(order: RestaurantOrder, to: OrderStatus, action: str, user: Any) -> None:
    order.status, order.updated_at = to, timezone.now()
    if to not in OPEN:
        order.network = ""
    order.save()
    log(instance=order, action=action, user=user)
