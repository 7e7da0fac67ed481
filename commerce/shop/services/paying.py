"""Orders as records that customers pay for, and what happens once they have."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import is_on
from cms_api.webhooks.services import emit
from commerce.common.services.discounts import lock_codes
from commerce.common.types.money import Money
from commerce.marketing.services import ask_to_confirm
from commerce.payments.services import close_payments
from commerce.payments.types import RefundStatus
from commerce.sales.services import SalePayable
from commerce.sales.types import Stage

from ..models import Cart, CartItem, DiscountCode, Order
from ..selectors.carts import is_sold
from ..selectors.orders import ORDER_LINK, SOLD, is_too_old
from ..types.orders import PAYABLE, OrderStatus
from . import notices, stock
from .failed_refunds import give_back_pieces, take_pieces_again
from .redeeming import check_again, redeem_again

TOO_OLD = "This order is too old to be paid. Please order again."


class Orders(SalePayable[Order]):
    model, payable, log_prefix, customer_link = Order, PAYABLE, "shop", ORDER_LINK
    admin_page, paid_action = "orders:inspect", "pay_order"
    stages = {
        OrderStatus.PENDING: Stage.PENDING,
        OrderStatus.PAID: Stage.PAID,
        OrderStatus.FULFILLED: Stage.PAID,
        OrderStatus.REFUNDED: Stage.REFUNDED,
        OrderStatus.CANCELLED: Stage.CANCELLED,
    }
    # A free order.
    more_transitions = {Stage.PAID: {Stage.CANCELLED}}

    def lock(self, pk: int) -> Order | None:
        """Lock an order that may become paid, and before it its cart, which the checkout locks first."""
        cart = Order.objects.filter(pk=pk).values("cart")
        Cart.objects.select_for_update().filter(pk__in=cart).first()
        return super().lock(pk)

    def check_due(self, record: Order) -> None:
        """Raise Invalid: `status`, `items` if one is sold no longer, and `discount_code` if its code has ended since."""
        super().check_due(record)
        if is_too_old(record):
            raise Invalid({"status": TOO_OLD})
        if record.reserved_until is None:
            check_again(record)
            _check_sold(record)

    def reserve(self, record: Order) -> datetime | None:
        """Reserve the items until then, again if they no longer were."""
        reserve_again(record)
        return record.reserved_until

    def describe(self, record: Order) -> str:
        return f"Order {record.number}"

    def record_payment(self, sale: Any, values: Mapping[str, Any], *, user: Any = None) -> Any:
        """Close the order's payment page before: an online payment may be under way. Must not be called in a transaction."""
        if sale.is_pending and not close_payments(payable=PAYABLE, record_id=sale.pk):
            raise Invalid({"status": "This order has just been paid, or its payment is on its way."})
        return super().record_payment(sale, values, user=user)

    def prepare_recording(self, sale: Order, user: Any) -> None:
        """Reserve the items again, also of an old order. Raises Invalid (`items`) if there are not enough left."""
        _accept(sale)
        reserve_again(sale)

    def become_paid(self, sale: Order, payment: Any = None) -> bool:
        """Take the items of a pending order out of the stock, and confirm the order to its customer.

        Return False if they were reserved no longer and there are not enough left, or one was deleted.
        """
        if sale.reserved_until is None and sale.items.filter(variant=None).exists():
            return False
        if sale.discount_id is not None and not sale.has_redeemed:
            lock_codes(DiscountCode, [sale.discount_id])
        if not stock.consume(sale, sale.items.all()):
            return False
        # Money that arrives after the reservation has ended is for the agreed total, also if the code is used up.
        with suppress(Invalid), transaction.atomic():
            redeem_again(sale)
        if not sale.is_shipped:
            sale.fulfilled_at = timezone.now()
        _empty_cart(sale)
        if sale.total_cents:
            sale.network = ""
        self.mark_paid(sale, payment, status=OrderStatus.PAID if sale.is_shipped else OrderStatus.FULFILLED)
        emit("order.paid", sale)
        emit("order.status_changed", sale)
        notices.record_paid(sale)
        notices.send_confirmation(sale)
        notices.notify_business(sale)
        if sale.wants_news and is_on("marketing"):
            first, last = notices.names(sale)
            ask_to_confirm(email=sale.email, first_name=first, last_name=last)
        return True

    def begin_processing(self, record: Order) -> list[str]:
        """Let the customer buy something else."""
        _empty_cart(record)
        return ["cart"]

    def record_refund(self, record: Order, refund: Any) -> None:
        before = record.status
        super().record_refund(record, refund)
        if record.status != before:
            emit("order.status_changed", record)

    def add_up(self, record: Order, refund: Any) -> list[str]:
        """Add up what has gone back. A failed refund gives its pieces back."""
        changed = super().add_up(record, refund)
        move = take_pieces_again if refund.status == RefundStatus.SUCCEEDED else give_back_pieces
        move(record, refund)
        return [*changed, "fulfilled_at"]

    def status_after_refund(self, record: Order) -> str:
        if record.refunded_cents == record.total_cents and record.status in SOLD:
            return OrderStatus.REFUNDED
        if record.refunded_cents < record.total_cents and record.status == OrderStatus.REFUNDED:
            return OrderStatus.FULFILLED if record.fulfilled_at else OrderStatus.PAID
        return record.status

    def notify_of_refund(self, record: Order, amount: Money) -> None:
        notices.record_refunded(record, amount)
        notices.send_refunded(record, amount)


ORDERS = Orders()


def _check_sold(order: Order) -> None:
    """Raise Invalid (`items`) if an item of an order that has lost its reservation is not sold any more."""
    for item in order.items.select_related("variant__product"):
        if not is_sold(item.variant):
            raise Invalid({"items": f"{item.full_name} is no longer available. Please order again."})


def reserve_again(order: Order) -> None:
    """Reserve the items of a locked order for some time, and count its use of a discount code. Raises Invalid."""
    redeem_again(order)
    stock.reserve(order, order.items.all(), until=stock.reservation_end())
    order.save(update_fields=["reserved_until", "has_redeemed"])


def _empty_cart(order: Order) -> None:
    """Take what was bought out of the cart; what has been added since stays."""
    if order.cart_id is None:
        return
    bought = {item.variant_id: item.quantity for item in order.items.all()}
    for item in CartItem.objects.filter(cart=order.cart_id, variant__in=bought):
        if item.quantity <= bought[item.variant_id]:
            item.delete()
        else:
            CartItem.objects.filter(pk=item.pk).update(quantity=item.quantity - bought[item.variant_id])
    Cart.objects.filter(pk=order.cart_id).update(discount_code="")
    order.cart = None


def _accept(order: Order) -> None:
    """Let staff take the agreed total of a locked order, also if it is old, its code has ended or is used up, or it is large.

    An order that cannot have a use of its code keeps the discount alone.
    """
    try:
        with transaction.atomic():
            redeem_again(order)
    except Invalid:
        order.discount = None
    order.network = ""
    order.save(update_fields=["discount", "has_redeemed", "network"])
