"""Counts the uses of discount codes: a sale has one from when it is placed until it is given up, and keeps it once it is paid."""

from typing import Any

from commerce.common.models import DiscountCodeBase
from commerce.common.services.discounts import give_back_use, take_use

from ..selectors import SaleCodes


def redeem(codes: SaleCodes[Any], sale: Any, code: DiscountCodeBase, subtotal_cents: int) -> None:
    """Count a use of a code by a sale. The caller saves the sale.

    Raises Invalid (`discount_code`); the caller's transaction must then be rolled back.
    """
    take_use(code)
    if code.max_uses_per_customer is not None:
        # Sales with the same code wait for each other here, so that it is counted again.
        codes.check(code, subtotal_cents, email=sale.email, sale=sale)
    sale.has_redeemed = True


def give_up_use(codes: SaleCodes[Any], sale: Any) -> None:
    """Give back the use of a sale's code. The caller saves the sale."""
    if sale.has_redeemed:
        give_back_use(codes.code, getattr(sale, f"{codes.field}_id"))
        sale.has_redeemed = False
