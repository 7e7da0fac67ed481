"""The sums below the items of a cart or an order, with their labels, as pages, emails and documents show them."""

from collections.abc import Sequence

from commerce.common.resources import rounding_rows, stored_taxes, tax_rows
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Order
from ..selectors.pricing import Quote

#: A label and a formatted amount.
Row = tuple[str, str]


def of_order(order: Order) -> list[Row]:
    """Return the sums of an order as they were stored; the last one is the total, or what has been refunded of it."""
    rows = _rows(
        order.currency,
        subtotal=order.subtotal_cents,
        discount=order.discount_cents,
        code=order.discount_code,
        shipping=(order.shipping_method, order.shipping_cents) if order.is_shipped else None,
        taxes=tax_rows(order.taxes),
        inclusive=order.prices_include_tax,
        total=order.total_cents,
    )
    if order.refunded_cents:
        rows.append(("Refunded", format_money(Money(-order.refunded_cents, order.currency))))
    return rows


def of_quote(quote: Quote) -> list[Row]:
    """Return the sums of a cart; shipping is among them once its method is chosen."""
    totals = quote.totals
    return _rows(
        quote.currency,
        subtotal=totals.subtotal_cents,
        discount=totals.discount_cents,
        code=quote.code.code if quote.code else "",
        shipping=(quote.method.name, totals.shipping_cents) if quote.method else None,
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
    shipping: tuple[str, int] | None,
    taxes: Sequence[tuple[str, int]],
    inclusive: bool,
    total: int,
) -> list[Row]:
    def money(cents: int) -> str:
        return format_money(Money(cents, currency))

    rows = [("Subtotal", money(subtotal))]
    if discount:
        rows.append((f"Discount ({code})" if code else "Discount", money(-discount)))
    if shipping:
        label = f"Shipping ({shipping[0]})" if shipping[0] else "Shipping"
        rows.append((label, money(shipping[1]) if shipping[1] else "Free"))
    taxed = [(label, money(cents)) for label, cents in taxes]
    parts = subtotal - discount + (shipping[1] if shipping else 0) + (0 if inclusive else sum(cents for _, cents in taxes))
    last = [*rounding_rows(total, parts, currency), ("Total", money(total))]
    if inclusive:
        return [*rows, *last, *((f"Includes {label}", amount) for label, amount in taxed)]
    return [*rows, *taxed, *last]
