"""The sums below the items of a cart or an order."""

from commerce.sales.resources import Extra, Row, sums_of_quote, sums_of_sale

from ..models import Order
from ..selectors.pricing import Quote


def of_order(order: Order) -> list[Row]:
    extras = [_shipping(order.shipping_method, order.shipping_cents)] if order.is_shipped else []
    return sums_of_sale(order, code=order.discount_code, extras=extras)


def of_quote(quote: Quote) -> list[Row]:
    """Return the sums of a cart; shipping is among them once its method is chosen."""
    totals = quote.totals
    return sums_of_quote(
        totals,
        currency=quote.currency,
        prices_include_tax=quote.prices_include_tax,
        total_cents=totals.total_cents,
        code=quote.code.code if quote.code else "",
        extras=[_shipping(quote.method.name, totals.shipping_cents)] if quote.method else [],
    )


def _shipping(method: str, cents: int) -> Extra:
    return f"Shipping ({method})" if method else "Shipping", cents
