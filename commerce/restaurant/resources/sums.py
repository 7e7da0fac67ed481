"""The sums below the items of a cart or an order."""

from commerce.sales.resources import Row, sums_of_quote, sums_of_sale

from ..models import RestaurantOrder
from ..selectors.pricing import Quote


def of_order(order: RestaurantOrder) -> list[Row]:
    extras = [(f"Delivery ({order.zone})", order.delivery_fee_cents)] if order.is_delivery else []
    return sums_of_sale(order, extras=extras, tip_cents=order.tip_cents)


def of_quote(quote: Quote) -> list[Row]:
    return sums_of_quote(
        quote.totals,
        currency=quote.currency,
        prices_include_tax=quote.prices_include_tax,
        total_cents=quote.total_cents,
        extras=[(f"Delivery ({quote.zone.name})", quote.totals.shipping_cents)] if quote.zone else [],
        tip_cents=quote.tip_cents,
    )
