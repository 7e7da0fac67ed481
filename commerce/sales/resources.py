"""The sums below the items of a cart or an order, with their labels, as pages, emails and documents show them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from commerce.common.resources import rounding_rows, stored_taxes, tax_rows
from commerce.common.selectors import format_cents
from commerce.common.types.totals import Totals

from .models import Sale

#: A label and a formatted amount.
Row = tuple[str, str]
#: A label and an amount in minor units, of what is added to the price of the items: zero is free.
Extra = tuple[str, int]


def sums_of_sale(sale: Sale, *, code: str = "", extras: Sequence[Extra] = (), tip_cents: int = 0) -> list[Row]:
    """Return the sums of an order as they were stored; the last one is the total, or what has been refunded of it.

    `code` is that of the discount.
    """
    rows = _rows(
        sale.currency,
        items=(sale.subtotal_cents, sale.discount_cents),
        code=code,
        extras=extras,
        taxes=tax_rows(sale.taxes),
        inclusive=sale.prices_include_tax,
        tip_cents=tip_cents,
        total_cents=sale.total_cents,
    )
    return [*rows, *refunded_row(sale)]


def refunded_row(sale: Any) -> list[Row]:
    """Return the row of what has been given back of a sale; none if nothing has."""
    return [("Refunded", format_cents(-sale.refunded_cents, sale.currency))] if sale.refunded_cents else []


def sums_of_quote(
    totals: Totals,
    *,
    currency: str,
    prices_include_tax: bool,
    total_cents: int,
    code: str = "",
    extras: Sequence[Extra] = (),
    tip_cents: int = 0,
) -> list[Row]:
    """Return the sums of what is being bought."""
    return _rows(
        currency,
        items=(totals.subtotal_cents, totals.discount_cents),
        code=code,
        extras=extras,
        taxes=tax_rows(stored_taxes(totals)),
        inclusive=prices_include_tax,
        tip_cents=tip_cents,
        total_cents=total_cents,
    )


def _rows(
    currency: str,
    *,
    items: tuple[int, int],
    code: str,
    extras: Sequence[Extra],
    taxes: Sequence[tuple[str, int]],
    inclusive: bool,
    tip_cents: int,
    total_cents: int,
) -> list[Row]:
    money = partial(format_cents, currency=currency)
    subtotal, discount = items
    rows = [("Subtotal", money(subtotal))]
    if discount:
        rows.append((f"Discount ({code})" if code else "Discount", money(-discount)))
    rows += [(label, money(cents) if cents else "Free") for label, cents in extras]
    taxed = [(label, money(cents)) for label, cents in taxes]
    parts = subtotal - discount + sum(cents for _, cents in extras) + tip_cents
    if not inclusive:
        parts += sum(cents for _, cents in taxes)
    tip = [("Tip", money(tip_cents))] if tip_cents else []
    last = [*tip, *rounding_rows(total_cents, parts, currency), ("Total", money(total_cents))]
    if inclusive:
        return [*rows, *last, *((f"Includes {label}", amount) for label, amount in taxed)]
    return [*rows, *taxed, *last]
