"""Gives the money of orders back."""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.payments.services import request_refund

from ..models import RestaurantOrder
from ..types.orders import PAYABLE
from .paying import lock_order


@transaction.atomic
def refund_order(*, order: RestaurantOrder, amount_cents: int, reason: str = "", user: Any = None) -> list[Any]:
    """Request the refund of what was paid for an order in any status, or of a part of it, and return the refunds.

    The order goes on as it is; one that is not wanted any more is cancelled. Raises Invalid (`status`, `amount_cents`, `reason`).
    """
    locked = lock_order(order.pk)
    if locked is None:
        raise Invalid({"status": "This order has been deleted."})
    refunds = request_refund(payable=PAYABLE, record_id=locked.pk, amount_cents=amount_cents, reason=reason, user=user)
    log(instance=locked, action="restaurant.refund", user=user, data={"cents": amount_cents, "currency": locked.currency})
    return refunds
