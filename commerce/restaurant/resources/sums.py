"""The sums below the items of a cart or an order, with their labels, as pages and emails show them."""

from collections.abc import Sequence

from commerce.common.resources import rounding_rows, stored_taxes, tax_rows
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import RestaurantOrder
from ..selectors.pricing import Quote

#: A label and a formatted amount.
Row = tuple[str, str]


def of_order(order: RestaurantOrder) -> list[Row]:
    """Return the sums of an order as they were stored."""
    rows = _rows(
        order.currency,
        subtotal=order.subtotal_cents,
        delivery=(order.zone, order.delivery_fee_cents) if order.is_delivery else None,
        taxes=tax_rows(order.taxes),
        inclusive=order.prices_include_tax,
        tip=order.tip_cents,
        total=order.total_cents,
    )
    if order.refunded_cents:
        rows.append(("Refunded", format_money(Money(-order.refunded_cents, order.currency))))
    return rows


def of_quote(quote: Quote) -> list[Row]:
    return _rows(
        quote.currency,
        subtotal=quote.totals.subtotal_cents,
        delivery=(quote.zone.name, quote.totals.shipping_cents) if quote.zone else None,
        taxes=tax_rows(stored_taxes(quote.totals)),
        inclusive=quote.prices_include_tax,
        tip=quote.tip_cents,
        total=quote.total_cents,
    )


def _rows(
    currency: str,
    *,
    subtotal: int,
    delivery: tuple[str, int] | None,
    taxes: Sequence[tuple[str, int]],
    inclusive: bool,
    tip: int,
    total: int,
) -> list[Row]:
    def money(cents: int) -> str:
        return format_money(Money(cents, currency))

    rows = [("Subtotal", money(subtotal))]
    if delivery:
        rows.append((f"Delivery ({delivery[0]})", money(delivery[1]) if delivery[1] else "Free"))
    taxed = [(label, money(cents)) for label, cents in taxes]
    tipped = [("Tip", money(tip))] if tip else []
    parts = subtotal + (delivery[1] if delivery else 0) + tip + (0 if inclusive else sum(cents for _, cents in taxes))
    last = [*tipped, *rounding_rows(total, parts, currency), ("Total", money(total))]
    if inclusive:
        return [*rows, *last, *((f"Includes {label}", amount) for label, amount in taxed)]
    return [*rows, *taxed, *last]
