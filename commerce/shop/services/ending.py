"""Cancels orders that are not paid, and refunds those that are."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row
from cms_api.webhooks.services import emit
from commerce.common.selectors import format_money
from commerce.common.types.money import Money, payable_cents, payable_step
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import close_payments, close_payments_later, request_refund
from commerce.payments.types import MAX_REASON
from commerce.sales.services import give_up_use

from ..models import Order, OrderItem, OrderRefund
from ..selectors.orders import SOLD
from ..selectors.pricing import CODES
from ..types.orders import PAYABLE, OrderStatus
from . import notices, stock
from .placing import give_back

#: Pieces by the id of their order item.
Pieces = Mapping[int, int]


def cancel_order(*, order: Order, user: Any = None, send_email: bool = True) -> bool:
    """Cancel a pending order, or a free one, and give back what it took and was not sent; return False if it is already.

    Raises Invalid (`status`) if money was paid for it, or may be at this moment. Must not be called in a transaction: its payment
    page is closed at the provider first.
    """
    if order.is_pending and not close_payments(payable=PAYABLE, record_id=order.pk):
        raise Invalid({"status": "This order has just been paid, or its payment is on its way."})
    return _cancel(order, user, send_email)


@transaction.atomic
def _cancel(order: Order, user: Any, send_email: bool) -> bool:
    locked = get_row(Order.objects.select_for_update(), order.pk)
    if locked.status == OrderStatus.CANCELLED:
        return False
    if locked.is_free_sale:
        items = {item.pk: item for item in locked.items.all()}
        give_up_use(CODES, locked)
        # Pieces that were sent, or handed over, are not back.
        stock.restock(_by_variant({pk: item.unshipped for pk, item in items.items()}, items))
    elif locked.is_pending:
        give_back(locked)
    else:
        raise Invalid({"status": "A paid order can't be cancelled. Refund it instead."})
    now = timezone.now()
    locked.status, locked.cancelled_at, locked.updated_at, locked.cart = OrderStatus.CANCELLED, now, now, None
    locked.network = ""
    locked.save()
    close_payments_later(payable=PAYABLE, record_id=locked.pk)
    log(instance=locked, action="shop.cancel_order", user=user)
    emit("order.status_changed", locked)
    notices.record_cancelled(locked)
    if send_email:
        notices.send_cancelled(locked)
    return True


@transaction.atomic
def refund_order(
    *,
    order: Order,
    amount_cents: int | None = None,
    pieces: Pieces | None = None,
    restock: bool = False,
    reason: str = "",
    user: Any = None,
) -> OrderRefund:
    """Give money back: an amount, the price of some pieces, or, with neither, all that is left.

    All that is left takes the pieces that were never sent with it, unless others are named. `restock` puts the pieces into the
    stock. Raises Invalid: `status` if the order was not paid, `amount_cents` if it is more than what is left, `items`,
    `restock` if none of the pieces can go back into the stock, `reason`.
    """
    if len(reason) > MAX_REASON or "\0" in reason:
        raise Invalid({"reason": f"The reason may not be greater than {MAX_REASON} characters."})
    locked = get_row(Order.objects.select_for_update(), order.pk)
    if locked.status not in SOLD:
        raise Invalid({"status": "Only paid and fulfilled orders can be refunded."})
    items = {item.pk: item for item in locked.items.all()}
    left = refundable_cents(PAYABLE, locked.pk)
    chosen: Pieces = _read_pieces(pieces or {}, items)
    amount = amount_of(items, chosen, amount_cents, left, locked.currency)
    if not 0 < amount <= left:
        most = format_money(Money(left, locked.currency))
        raise Invalid({"amount_cents": f"Enter an amount of at most {most}." if left else "Nothing is left to refund."})
    chosen = dict(pieces_of_refund(items, chosen, is_whole=amount == left))
    # Already in the stock, by refunds that failed.
    again = {pk: min(n, items[pk].in_stock_again) for pk, n in chosen.items()}
    if restock:
        check_restock(items, chosen)
    refund = OrderRefund.objects.create(
        order=locked,
        amount_cents=amount,
        reason=reason,
        items=[{"item": pk, "quantity": n, "in_stock": n if restock else again[pk]} for pk, n in chosen.items()],
        is_restocked=restock,
        refunded_by=user,
        created_at=timezone.now(),
    )
    for pk, n in chosen.items():
        OrderItem.objects.filter(pk=pk).update(refunded=F("refunded") + n, in_stock_again=F("in_stock_again") - again[pk])
        items[pk].refunded += n
    if restock:
        stock.restock(_by_variant({pk: n - again[pk] for pk, n in chosen.items()}, items))
    log(instance=locked, action="shop.refund_order", user=user, data={"cents": amount, "currency": locked.currency})
    _finish(locked, items, is_whole=amount == left)
    refund.parts.set(request_refund(payable=PAYABLE, record_id=locked.pk, amount_cents=amount, reason=reason, user=user))
    return refund


def amount_of(items: Mapping[int, OrderItem], pieces: Pieces, amount_cents: int | None, left: int, currency: str) -> int:
    """Return what a refund gives back: the amount, the price of the pieces, or all that is left.

    The price is rounded to an amount that can be paid, so that all pieces together give back their sum rounded once, as the
    order's total was.
    """
    if amount_cents is not None:
        return amount_cents
    if not any(pieces.values()):
        return left
    before = sum(_share(item, item.refunded) for item in items.values())
    after = sum(_share(item, item.refunded + pieces.get(pk, 0)) for pk, item in items.items())
    if after == before:
        return 0
    return min(left, max(payable_step(currency), payable_cents(after, currency) - payable_cents(before, currency)))


def pieces_of_refund(items: Mapping[int, OrderItem], chosen: Pieces, *, is_whole: bool) -> Pieces:
    """Return the pieces that a refund is for: those chosen or, if all that is left goes back, those that were never sent."""
    if chosen or not is_whole:
        return chosen
    return {pk: item.unshipped for pk, item in items.items() if item.unshipped}


def check_restock(items: Mapping[int, OrderItem], chosen: Pieces) -> None:
    """Raise Invalid (`restock`) with the reason if none of the pieces of a refund can go back into the stock."""
    if _by_variant(chosen, items):
        return
    if chosen:
        names = ", ".join(items[pk].full_name for pk in chosen)
        raise Invalid({"restock": f"Nothing can go back into stock: the pieces of {names} aren't counted."})
    if any(item.unshipped for item in items.values()):
        raise Invalid({"restock": "This is a part of what was paid. Choose how many of which items go back into stock."})
    raise Invalid({"restock": "All items have been sent. Choose how many of which came back."})


def _finish(order: Order, items: Mapping[int, OrderItem], *, is_whole: bool) -> None:
    """Fulfil an order of which the last pieces that were to be sent are refunded; a whole refund has a status of its own."""
    if order.status != OrderStatus.PAID or is_whole or any(item.unshipped for item in items.values()):
        return
    now = timezone.now()
    order.status, order.fulfilled_at, order.updated_at = OrderStatus.FULFILLED, now, now
    order.save(update_fields=["status", "fulfilled_at", "updated_at"])
    emit("order.status_changed", order)


def _read_pieces(pieces: Pieces, items: Mapping[int, OrderItem]) -> dict[int, int]:
    for pk, quantity in pieces.items():
        if pk not in items or not 0 <= quantity <= items[pk].quantity - items[pk].refunded:
            raise Invalid({"items": "More pieces than were sold can't be refunded."})
    return {pk: quantity for pk, quantity in pieces.items() if quantity}


def _share(item: OrderItem, pieces: int) -> int:
    """Return what the first pieces of an item cost, so that all of them together cost exactly what was paid."""
    return item.paid_cents * pieces // item.quantity


def _by_variant(pieces: Pieces, items: Mapping[int, OrderItem]) -> dict[int, int]:
    found: dict[int, int] = {}
    for pk, quantity in pieces.items():
        item = items[pk]
        if item.is_tracked and item.variant_id and quantity:
            found[item.variant_id] = found.get(item.variant_id, 0) + quantity
    return found
