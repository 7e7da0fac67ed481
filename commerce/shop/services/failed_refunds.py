"""Refunds whose money did not go back: their pieces count as sold again, until a person gives it back in another way."""

from typing import Any

from django.db.models import F
from django.utils import timezone

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


def take_pieces_again(order: Order, refund: Any) -> None:
    """Repeat the decision that a failed refund belongs to, now that its money has gone back in another way.

    Pieces that were refunded once more meanwhile count once. The caller has locked the order, and saves it.
    """
    decision = order.refunds.filter(parts=refund.pk, has_failed=True).first()
    if decision is None:
        return
    decision.has_failed = False
    decision.save(update_fields=["has_failed"])
    items = {item.pk: item for item in order.items.all()}
    for each in decision.items:
        item = items[each["item"]]
        item.refunded += min(each["quantity"], item.quantity - item.refunded)
        item.in_stock_again -= min(each["in_stock"], item.in_stock_again)
        item.save(update_fields=["refunded", "in_stock_again"])
    if order.status == OrderStatus.PAID and not any(item.unshipped for item in items.values()):
        order.status, order.fulfilled_at = OrderStatus.FULFILLED, timezone.now()
