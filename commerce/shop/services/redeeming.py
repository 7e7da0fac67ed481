"""Uses of discount codes: an order has one while its items are reserved, and keeps it once it is paid.

Everywhere the codes are locked before the variants of `stock`, so that no two transactions wait for each other.
"""

from cms_api.core.errors import Invalid
from commerce.common.types.discounts import NOT_VALID
from commerce.sales.services import redeem

from ..models import Order
from ..selectors.pricing import CODES


def check_again(order: Order) -> None:
    """Raise Invalid (`discount_code`) if the code of an order that has lost its reservation does not apply any more."""
    if not order.discount_code:
        return
    try:
        if order.discount is None:
            raise Invalid({"discount_code": NOT_VALID})
        CODES.check(order.discount, order.subtotal_cents, email=order.email, sale=order)
    except Invalid as refusal:
        raise Invalid({"discount_code": f"{refusal.message} Please order again."}) from refusal


def redeem_again(order: Order) -> None:
    """Count the use of an order that has lost its reservation, and with it its use of the code. Raises as `redeem`."""
    if order.discount is not None and not order.has_redeemed:
        redeem(CODES, order, order.discount, order.subtotal_cents)
