"""Counts the uses of discount codes: an order has one while its items are reserved, and keeps it once it is paid."""

from commerce.common.services.discounts import give_back_use, take_use

from ..models import DiscountCode, Order
from ..selectors.pricing import check_discount_code


def redeem(order: Order, code: DiscountCode) -> None:
    """Count a use of a discount code by an order, and make others with the same code wait.

    The caller saves the order. Raises Invalid (`discount_code`); the caller's transaction must then be rolled back.
    """
    take_use(code)
    if code.max_uses_per_customer is not None:
        check_discount_code(code, order.subtotal_cents, email=order.email, order=order)
    order.has_redeemed = True


def redeem_again(order: Order) -> None:
    """Count the use of an order that has lost its reservation, and with it its use of the code. Raises as `redeem`."""
    if order.discount is not None and not order.has_redeemed:
        redeem(order, order.discount)


def give_up_use(order: Order) -> None:
    """Give back the use of an order's discount code. The caller saves the order."""
    if order.has_redeemed:
        give_back_use(DiscountCode, order.discount_id)
        order.has_redeemed = False
