"""The price of a cart: one calculation for the cart, the checkout and the order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings

from cms_api.flags.selectors import get_setting, site_country
from commerce.common.selectors import rates_for
from commerce.common.types.tax import NO_TAX, Supply, TaxPlace, TaxRate
from commerce.common.types.totals import LineItem, Totals, totals_of
from commerce.sales.selectors import SaleCodes

from ..models import DiscountCode, Order, ProductVariant, ShippingMethod
from ..types.shipping import Parcel, ShippingKind
from .selling import offered_shipping

#: A variant, with its product, and how many of it.
Line = tuple[ProductVariant, int]


CODES = SaleCodes(DiscountCode, Order, "discount")


@dataclass(frozen=True)
class Quote:
    """The price of some items for one place."""

    items: Sequence[Line]
    totals: Totals
    prices_include_tax: bool
    #: The tax rates of what is sent or picked up, and those of what is digital.
    rates: Mapping[str, TaxRate]
    digital_rates: Mapping[str, TaxRate]
    #: The discount code that applies, or else why the one that was entered does not.
    code: DiscountCode | None = None
    code_problem: str = ""
    #: The methods that apply, each with its price; none if nothing is shipped.
    shipping: Sequence[tuple[ShippingMethod, int]] = ()
    method: ShippingMethod | None = None
    currency: str = field(default_factory=lambda: settings.SITE_CURRENCY)

    @property
    def is_shipped(self) -> bool:
        """Return whether anything has to be sent or picked up."""
        return any(not variant.product.is_digital for variant, _ in self.items)

    def rate(self, variant: ProductVariant) -> TaxRate:
        return (self.digital_rates if variant.product.is_digital else self.rates).get(variant.product.tax_class, NO_TAX)


def quote(
    items: Sequence[Line],
    *,
    place: TaxPlace | None = None,
    billed: TaxPlace | None = None,
    code: str = "",
    email: str = "",
    method: int | None = None,
    chooses_first: bool = False,
    order: Order | None = None,
) -> Quote:
    """Return the price of some items.

    `place` is where the goods go, and `billed` where the customer is, by default the same; None while it is not known, which is
    the place of the business then. Goods that are picked up are taxed there, wherever the customer is. `method` is the id of the
    shipping method that was chosen; without one that applies, none is, or the first if
    it `chooses_first`. A discount code that does not apply is left out, and
    `code_problem` says why; `order` is the pending order that may already use it.
    """
    inclusive = bool(get_setting("taxes.prices_include_tax"))
    subtotal = sum(variant.price_cents * quantity for variant, quantity in items)
    applied, problem = CODES.find(code, subtotal, email=email, sale=order)
    taken_off = applied.discount.of_items(subtotal) if applied else 0
    shipped = [(variant, quantity) for variant, quantity in items if not variant.product.is_digital]
    weight = sum(variant.weight_grams * quantity for variant, quantity in shipped)
    country = place.country if place is not None else site_country()
    offered = offered_shipping(Parcel(weight, subtotal - taken_off, country)) if shipped else []
    chosen = next(((each, cents) for each, cents in offered if each.pk == method), None)
    if chosen is None and offered and chooses_first:
        chosen = offered[0]
    is_picked_up = chosen is not None and chosen[0].kind == ShippingKind.PICKUP
    rates = rates_for(Supply.PICKED_UP if is_picked_up else Supply.DELIVERED, place) if shipped else {}
    digital_rates = rates_for(Supply.DIGITAL, billed or place) if len(shipped) < len(items) else {}
    priced = [
        LineItem(
            variant.price_cents,
            quantity,
            rate=(digital_rates if variant.product.is_digital else rates).get(variant.product.tax_class, NO_TAX),
        )
        for variant, quantity in items
    ]
    shipping = LineItem(0)
    if chosen:
        free = chosen[1] if applied and applied.discount.is_free_shipping else 0
        shipping = LineItem(chosen[1], discount_cents=free, rate=rates.get(chosen[0].tax_class, NO_TAX))
    totals = totals_of(priced, discount_cents=taken_off, shipping=shipping, inclusive=inclusive)
    totals = totals.round_total(settings.SITE_CURRENCY)
    return Quote(
        items,
        totals,
        inclusive,
        rates,
        digital_rates,
        code=applied,
        code_problem=problem,
        shipping=offered,
        method=chosen[0] if chosen else None,
    )
