"""Counts the uses of discount codes: an order has one while its items are reserved, and keeps it once it is paid."""

from django.db.models import F, Q

from cms_api.core.errors import Invalid

from ..models import DiscountCode, Order
from ..selectors.pricing import check_code


def redeem(order: Order, code: DiscountCode) -> None:
    """Count a use of a discount code, in one statement, which also makes others with the same code wait.

    The caller saves the order. Raises Invalid (`discount_code`); the caller's transaction must then be rolled back.
    """
    free = DiscountCode.objects.filter(Q(max_uses=None) | Q(used__lt=F("max_uses")), pk=code.pk)
    if not free.update(used=F("used") + 1):
        raise Invalid({"discount_code": "This discount code has been used up."})
    if code.max_uses_per_customer is not None:
        check_code(code, order.subtotal_cents, email=order.email, order=order)
    order.has_redeemed = True


def redeem_again(order: Order) -> None:
    """Count the use of an order that has lost its reservation, and with it its use of the code. Raises as `redeem`."""
    if order.discount is not None and not order.has_redeemed:
        redeem(order, order.discount)


def give_up_use(order: Order) -> None:
    """Give back the use of an order's discount code. The caller saves the order."""
    if order.has_redeemed:
        DiscountCode.objects.filter(orders=order, used__gt=0).update(used=F("used") - 1)
        order.has_redeemed = False
