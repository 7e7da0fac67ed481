"""Taxes of a sale: rounded once for each rate, then spread over its lines, so that 10 x 1 costs as much as 1 x 10.

Prices include tax or not. Where they do, the price on the shelf is the truth, and the tax is what it contains. EN 16931 sums
taxes by rate too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import TextChoices

from .money import allocate

MAX_TAX_LABEL = 40
#: Of a rate in percent.
MAX_RATE_DECIMALS = 4


class TaxClass(TextChoices):
    """How something is taxed; the rates are `TaxRule`s of a country or region."""

    STANDARD = "standard", "Standard"
    REDUCED = "reduced", "Reduced"
    SUPER_REDUCED = "super_reduced", "Super-reduced"
    EXEMPT = "exempt", "Not taxed"


class Supply(TextChoices):
    """How a customer gets what is sold, which decides whose place it is taxed at."""

    DELIVERED = "delivered", "Delivered"
    PICKED_UP = "picked_up", "Picked up"
    AT_TABLE = "at_table", "At the table"
    AT_EVENT = "at_event", "At the event"
    AT_SITE = "at_site", "A service at the site"
    DIGITAL = "digital", "Digital"


#: The supplies that go to the customer. All others are handed over where the business is.
SENT = frozenset({Supply.DELIVERED, Supply.DIGITAL})


@dataclass(frozen=True, slots=True)
class TaxPlace:
    """A place as far as taxes depend on it: an ISO 3166 code, and a state or region; empty where they are not known."""

    country: str
    region: str = ""


def tax_place(supply: Supply, *, business: TaxPlace, customer: TaxPlace | None) -> TaxPlace:
    """Return where a sale is taxed.

    `customer` is the place that something is delivered to, or, of what is digital, where the customer is; None or without a
    country while it is not known. A business that has not said in which region it is has that of its customers from the same
    country, who come to it.
    """
    if supply in SENT:
        return customer if customer is not None and customer.country else business
    if not business.region and customer is not None and customer.country == business.country:
        return customer
    return business


@dataclass(frozen=True, slots=True)
class TaxRate:
    """A tax: its name on receipts ("VAT") and its rate in percent of the net amount, with at most four decimals."""

    label: str = ""
    percent: Decimal = Decimal(0)

    def tax(self, cents: int, *, inclusive: bool) -> int:
        """Return the tax on a net amount, or the tax that a gross amount includes, in minor units. Half a cent is rounded up."""
        part = self.percent / (100 + self.percent) if inclusive else self.percent / 100
        return int((cents * part).quantize(Decimal(1), ROUND_HALF_UP))


NO_TAX = TaxRate()


@dataclass(frozen=True, slots=True)
class TaxTotal:
    """The net amount of a sale at one rate, and the tax on it, in minor units."""

    rate: TaxRate
    net_cents: int
    tax_cents: int


def taxes_of(amounts: Sequence[tuple[int, TaxRate]], *, inclusive: bool) -> tuple[list[int], list[TaxTotal]]:
    """Return the tax of each amount, and the totals by rate, highest first, without what is not taxed.

    Amounts are in minor units, never negative, and after all discounts.
    """
    shares = [0] * len(amounts)
    totals = []
    rates = sorted({rate for _, rate in amounts if rate.percent}, key=lambda rate: (-rate.percent, rate.label))
    for rate in rates:
        places = [place for place, (_, own) in enumerate(amounts) if own == rate]
        sold = [amounts[place][0] for place in places]
        tax = rate.tax(sum(sold), inclusive=inclusive)
        for place, share in zip(places, allocate(tax, sold), strict=True):
            shares[place] = share
        totals.append(TaxTotal(rate, sum(sold) - (tax if inclusive else 0), tax))
    return shares, totals
