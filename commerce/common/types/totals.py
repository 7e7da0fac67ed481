"""The totals of a sale: of a cart, an order, an invoice or tickets. Calculated once, stored, and shown from what was stored.

The order of sums: unit price x quantity, discounts of lines, the discount of the whole spread over the lines in proportion,
shipping and its discount, tax on what is left, and the rounding of the total, which alone may be negative. All amounts are in
minor units of one currency.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .money import allocate, payable_cents
from .tax import NO_TAX, TaxRate, TaxTotal, taxes_of


@dataclass(frozen=True, slots=True)
class LineItem:
    """Something sold. `discount_cents` is a discount of this line alone, at most its price."""

    unit_price_cents: int
    quantity: int = 1
    discount_cents: int = 0
    rate: TaxRate = NO_TAX

    def __post_init__(self) -> None:
        if self.unit_price_cents < 0 or self.quantity < 0 or self.discount_cents < 0:
            raise ValueError("Prices, quantities and discounts are never negative.")

    @property
    def price_cents(self) -> int:
        return self.unit_price_cents * self.quantity

    @property
    def left_cents(self) -> int:
        return max(0, self.price_cents - self.discount_cents)


@dataclass(frozen=True, slots=True)
class LineTotal:
    """A line after all discounts. `total_cents` is what its customer pays for it, with tax."""

    price_cents: int
    discount_cents: int
    tax_cents: int
    total_cents: int


@dataclass(frozen=True, slots=True)
class Totals:
    """`total_cents` is what the customer pays; `tax_cents` is part of it whether or not prices include tax.

    `rounding_cents` is part of the total too: what is added so that it can be paid, or is taken off if it is negative.
    """

    subtotal_cents: int
    discount_cents: int
    shipping_cents: int
    tax_cents: int
    total_cents: int
    lines: tuple[LineTotal, ...]
    shipping: LineTotal
    taxes: tuple[TaxTotal, ...]
    rounding_cents: int = 0

    def round_total(self, currency: str, *, beside_cents: int = 0, is_cash: bool = False) -> "Totals":
        """Return the totals with a total that can be paid in a currency, together with what is paid beside it, such as a tip."""
        exact = self.total_cents + beside_cents
        added = payable_cents(exact, currency, is_cash=is_cash) - exact
        return replace(self, total_cents=self.total_cents + added, rounding_cents=self.rounding_cents + added) if added else self


def totals_of(lines: Sequence[LineItem], *, discount_cents: int = 0, shipping: LineItem = LineItem(0), inclusive: bool) -> Totals:
    """Return the totals. `discount_cents` is a discount of all lines, and is spread over what is left of their prices.

    It is what the customer sees: gross where prices include tax, net where they do not. `shipping_cents` is after its own
    discount, which is not part of `discount_cents`.
    """
    if discount_cents < 0:
        raise ValueError("A discount is never negative.")
    left = [line.left_cents for line in lines]
    spread = allocate(min(discount_cents, sum(left)), left)
    after = [cents - share for cents, share in zip(left, spread, strict=True)]
    amounts = [(cents, line.rate) for cents, line in zip(after, lines, strict=True)]
    taxes, by_rate = taxes_of([*amounts, (shipping.left_cents, shipping.rate)], inclusive=inclusive)
    *sold, carried = (
        LineTotal(line.price_cents, line.price_cents - cents, tax, cents + (0 if inclusive else tax))
        for line, cents, tax in zip([*lines, shipping], [*after, shipping.left_cents], taxes, strict=True)
    )
    return Totals(
        subtotal_cents=sum(line.price_cents for line in sold),
        discount_cents=sum(line.discount_cents for line in sold),
        shipping_cents=shipping.left_cents,
        tax_cents=sum(taxes),
        total_cents=sum(line.total_cents for line in sold) + carried.total_cents,
        lines=tuple(sold),
        shipping=carried,
        taxes=tuple(by_rate),
    )
