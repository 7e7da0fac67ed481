"""Counts the uses of discount codes: an order has one while its items are reserved, and keeps it once it is paid.

Everywhere the codes are locked before the variants of `stock`, so that no two transactions wait for each other.
"""

from cms_api.core.errors import Invalid
from commerce.common.services.discounts import give_back_use, take_use
from commerce.common.types.discounts import NOT_VALID

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


def check_again(order: Order) -> None:
    """Raise Invalid (`discount_code`) if the code of an order that has lost its reservation does not apply any more."""
    if not order.discount_code:
        return
    try:
        if order.discount is None:
            raise Invalid({"discount_code": NOT_VALID})
        check_discount_code(order.discount, order.subtotal_cents, email=order.email, order=order)
    except Invalid as refusal:
        raise Invalid({"discount_code": f"{refusal.message} Please order again."}) from refusal


def redeem_again(order: Order) -> None:
    """Count the use of an order that has lost its reservation, and with it its use of the code. Raises as `redeem`."""
    if order.discount is not None and not order.has_redeemed:
        redeem(order, order.discount)


def give_up_use(order: Order) -> None:
    """Give back the use of an order's discount code. The caller saves the order."""
    if order.has_redeemed:
        give_back_use(DiscountCode, order.discount_id)
        order.has_redeemed = False
