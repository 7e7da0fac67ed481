"""The price of a cart: one calculation for the cart, the checkout and the order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.conf import settings

from cms_api.flags.selectors import get_setting
from commerce.common.selectors import rates_for
from commerce.common.types.tax import NO_TAX, TaxClass, TaxPlace, TaxRate
from commerce.common.types.totals import LineItem, Totals, totals_of

from ..models import DeliveryZone
from ..types.orders import SUPPLIES, Fulfillment
from .carts import Chosen


@dataclass(frozen=True)
class Quote:
    """The price of some dishes."""

    items: Sequence[Chosen]
    totals: Totals
    prices_include_tax: bool
    rates: Mapping[str, TaxRate]
    zone: DeliveryZone | None = None
    tip_cents: int = 0
    currency: str = field(default_factory=lambda: settings.SITE_CURRENCY)

    @property
    def total_cents(self) -> int:
        return self.totals.total_cents + self.tip_cents


def quote(
    items: Sequence[Chosen],
    *,
    zone: DeliveryZone | None = None,
    fulfillment: Fulfillment | None = None,
    customer: TaxPlace | None = None,
    tip_cents: int = 0,
    is_cash: bool = False,
) -> Quote:
    """Return the price of the items, without those that cannot be ordered. Tips are not taxed.

    `customer` is where a delivery goes; `is_cash` says that it is paid at the store, perhaps with coins.
    """
    inclusive = bool(get_setting("taxes.prices_include_tax"))
    rates = rates_for(SUPPLIES[fulfillment or Fulfillment.PICKUP], customer)
    sold = [each for each in items if not each.problem]
    priced = [LineItem(each.unit_cents, each.row.quantity, rate=rates.get(each.item.tax_class, NO_TAX)) for each in sold]
    fee = zone.fee(sum(each.total_cents for each in sold)) if zone else 0
    delivery = LineItem(fee, rate=rates.get(TaxClass.STANDARD, NO_TAX))
    totals = totals_of(priced, shipping=delivery, inclusive=inclusive)
    totals = totals.round_total(settings.SITE_CURRENCY, beside_cents=tip_cents, is_cash=is_cash)
    return Quote(sold, totals, inclusive, rates, zone, tip_cents)
