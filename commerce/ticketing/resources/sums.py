"""The sums below the tickets of a cart or an order, with their labels, as pages and emails show them."""

from collections.abc import Sequence

from commerce.common.resources import rounding_rows, stored_taxes, tax_rows
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import TicketOrder
from ..selectors.offers import Quote

#: A label and a formatted amount.
Row = tuple[str, str]


def of_order(order: TicketOrder) -> list[Row]:
    """Return the sums of an order as they were stored; the last one is the total, or what has been refunded of it."""
    rows = _rows(
        order.currency,
        subtotal=order.subtotal_cents,
        discount=order.discount_cents,
        code=order.promo_code,
        fee=order.fee_cents,
        taxes=tax_rows(order.taxes),
        inclusive=order.prices_include_tax,
        total=order.total_cents,
    )
    if order.refunded_cents:
        rows.append(("Refunded", format_money(Money(-order.refunded_cents, order.currency))))
    return rows


def of_quote(quote: Quote) -> list[Row]:
    """Return the sums of tickets that are being bought."""
    totals = quote.totals
    return _rows(
        quote.currency,
        subtotal=totals.subtotal_cents,
        discount=totals.discount_cents,
        code=quote.code.code if quote.code else "",
        fee=quote.fee_cents,
        taxes=tax_rows(stored_taxes(totals)),
        inclusive=quote.prices_include_tax,
        total=totals.total_cents,
    )


def _rows(
    currency: str,
    *,
    subtotal: int,
    discount: int,
    code: str,
    fee: int,
    taxes: Sequence[tuple[str, int]],
    inclusive: bool,
    total: int,
) -> list[Row]:
    def money(cents: int) -> str:
        return format_money(Money(cents, currency))

    if not subtotal:
        return [("Total", "Free")]
    rows = [("Subtotal", money(subtotal))]
    if discount:
        rows.append((f"Discount ({code})" if code else "Discount", money(-discount)))
    if fee:
        rows.append(("Booking fee", money(fee)))
    taxed = [(label, money(cents)) for label, cents in taxes]
    parts = subtotal - discount + fee + (0 if inclusive else sum(cents for _, cents in taxes))
    last = [*rounding_rows(total, parts, currency), ("Total", money(total))]
    if inclusive:
        return [*rows, *last, *((f"Includes {label}", amount) for label, amount in taxed)]
    return [*rows, *taxed, *last]
