"""Counts the uses of promo codes: an order has one while it is pending, and keeps it once it is paid."""

from commerce.common.services.discounts import give_back_use, take_use

from ..models import PromoCode, TicketOrder
from ..selectors.offers import check_promo_code


def redeem(order: TicketOrder, code: PromoCode) -> None:
    """Count a use of a promo code. The caller saves the order.

    Raises Invalid (`discount_code`); the caller's transaction must then be rolled back.
    """
    take_use(code)
    if code.max_uses_per_customer is not None:
        # Orders with the same code wait for each other here, so that it is counted again.
        check_promo_code(code, order.subtotal_cents, email=order.email, order=order)
    order.has_redeemed = True


def give_up_use(order: TicketOrder) -> None:
    """Give back the use of an order's promo code. The caller saves the order."""
    if order.has_redeemed:
        give_back_use(PromoCode, order.promo_id)
        order.has_redeemed = False
