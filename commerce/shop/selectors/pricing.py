"""The price of a cart: one calculation for the cart, the checkout and the order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from django.conf import settings

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import get_setting, site_country
from commerce.common.selectors import check_code, get_discount_code, tax_rates
from commerce.common.types.tax import NO_TAX, TaxRate
from commerce.common.types.totals import LineItem, Totals, totals_of

from ..models import DiscountCode, Order, ProductVariant, ShippingMethod
from ..types.shipping import Parcel
from .selling import offered_shipping

#: A variant, with its product, and how many of it.
Line = tuple[ProductVariant, int]


@dataclass(frozen=True)
class Place:
    """Where an order goes, as far as taxes and shipping depend on it: an ISO 3166 code, and a state or region."""

    country: str
    region: str = ""


@dataclass(frozen=True)
class Quote:
    """The price of some items for one place."""

    items: Sequence[Line]
    totals: Totals
    prices_include_tax: bool
    rates: Mapping[str, TaxRate]
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
        return self.rates.get(variant.product.tax_class, NO_TAX)


def home() -> Place:
    """Return the place that prices are for while it is not known where an order goes."""
    return Place(site_country())


def quote(
    items: Sequence[Line], *, place: Place, code: str = "", email: str = "", method: int | None = None, order: Order | None = None
) -> Quote:
    """Return the price of some items.

    `method` is the id of the shipping method that was chosen; without one that applies, none is. A discount code that does not
    apply is left out, and `code_problem` says why; `order` is the pending order that may already use it.
    """
    inclusive = bool(get_setting("taxes.prices_include_tax"))
    rates = tax_rates(place.country, place.region)
    priced = [
        LineItem(variant.price_cents, quantity, rate=rates.get(variant.product.tax_class, NO_TAX)) for variant, quantity in items
    ]
    subtotal = sum(item.price_cents for item in priced)
    applied, problem = _code(code, subtotal, email, order)
    taken_off = applied.discount.of_items(subtotal) if applied else 0
    shipped = [(variant, quantity) for variant, quantity in items if not variant.product.is_digital]
    weight = sum(variant.weight_grams * quantity for variant, quantity in shipped)
    offered = offered_shipping(Parcel(weight, subtotal - taken_off, place.country)) if shipped else []
    chosen = next(((each, cents) for each, cents in offered if each.pk == method), None)
    shipping = LineItem(0)
    if chosen:
        free = chosen[1] if applied and applied.discount.is_free_shipping else 0
        shipping = LineItem(chosen[1], discount_cents=free, rate=rates.get(chosen[0].tax_class, NO_TAX))
    totals = totals_of(priced, discount_cents=taken_off, shipping=shipping, inclusive=inclusive)
    return Quote(
        items,
        totals,
        inclusive,
        rates,
        code=applied,
        code_problem=problem,
        shipping=offered,
        method=chosen[0] if chosen else None,
    )


def _code(text: str, subtotal: int, email: str, order: Order | None) -> tuple[DiscountCode | None, str]:
    """Return the discount code of a text, or why it does not apply."""
    if not text:
        return None, ""
    try:
        code = get_discount_code(DiscountCode, text)
        check_discount_code(code, subtotal, email=email, order=order)
    except Invalid as refusal:
        return None, refusal.message
    return code, ""


def check_discount_code(code: DiscountCode, subtotal_cents: int, *, email: str = "", order: Order | None = None) -> None:
    """Raise Invalid (`discount_code`) if a code does not apply at present. A use by the order itself does not count."""
    is_own = order is not None and order.has_redeemed and order.discount_id == code.pk
    uses = partial(uses_by, code, email, but=order) if email else None
    check_code(code, subtotal_cents, uses_of_customer=uses, is_own=is_own)


def uses_by(code: DiscountCode, email: str, *, but: Order | None = None) -> int:
    """Return how many orders of an address use a code, apart from one."""
    orders = Order.objects.filter(discount=code, has_redeemed=True, email=email)
    return (orders.exclude(pk=but.pk) if but else orders).count()
