"""Refunds whose money did not go back after all: their pieces count as sold again."""

from typing import Any

from django.db.models import F

from commerce.payments.types import RefundStatus

from ..models import Order, OrderItem
from ..types.orders import OrderStatus


def give_back_pieces(order: Order, refund: Any) -> None:
    """Take back the decision that a failed refund belongs to, once no part of its money has gone back or may still do so.

    Pieces that were put into the stock with it stay there, because the business has them: they are not put there a second time
    when they are refunded again. An order of which something is to be sent then is no longer fulfilled. The caller has locked
    the order, and saves it.
    """
    decision = order.refunds.filter(parts=refund.pk, has_failed=False).first()
    if decision is None or decision.parts.exclude(status=RefundStatus.FAILED).exists():
        return
    decision.has_failed = True
    decision.save(update_fields=["has_failed"])
    for each in decision.items:
        item = OrderItem.objects.filter(pk=each["item"])
        item.update(refunded=F("refunded") - each["quantity"], in_stock_again=F("in_stock_again") + each["in_stock"])
    if order.status == OrderStatus.FULFILLED and any(item.unshipped for item in order.items.all()):
        order.status, order.fulfilled_at = OrderStatus.PAID, None
