"""Reads of discount codes, and of the sales that use them."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from cms_api.core.errors import Invalid
from commerce.common.models import DiscountCodeBase
from commerce.common.selectors import check_code, get_discount_code

C = TypeVar("C", bound=DiscountCodeBase)


class SaleCodes(Generic[C]):
    """The discount codes of a kind of sale. `field` is the sale's foreign key to its code, whose use it has if `has_redeemed`."""

    def __init__(self, code: type[C], sale: type[Any], field: str) -> None:
        self.code, self.sale, self.field = code, sale, field

    def find(
        self, text: str, subtotal_cents: int, *, email: str = "", sale: Any = None, get: Callable[[str], C] | None = None
    ) -> tuple[C | None, str]:
        """Return the code that was entered, or why it does not apply; `get` looks it up, and may raise Invalid."""
        if not text.strip():
            return None, ""
        try:
            code = get(text) if get is not None else get_discount_code(self.code, text)
            self.check(code, subtotal_cents, email=email, sale=sale)
        except Invalid as refusal:
            return None, refusal.message
        return code, ""

    def check(self, code: C, subtotal_cents: int, *, email: str = "", sale: Any = None) -> None:
        """Raise Invalid (`discount_code`) if a code does not apply at present. A use by the sale itself does not count."""
        is_own = sale is not None and sale.has_redeemed and getattr(sale, f"{self.field}_id") == code.pk
        others = self.sale._default_manager.filter(**{self.field: code}, has_redeemed=True, email=email)
        if sale is not None and sale.pk:
            others = others.exclude(pk=sale.pk)
        check_code(code, subtotal_cents, uses_of_customer=others.count if email else None, is_own=is_own)
