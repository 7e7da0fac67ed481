"""The sums below the tickets of a cart or an order."""

from commerce.sales.resources import Extra, Row, sums_of_quote, sums_of_sale

from ..models import TicketOrder
from ..selectors.offers import Quote

FREE: list[Row] = [("Total", "Free")]


def of_order(order: TicketOrder) -> list[Row]:
    return sums_of_sale(order, code=order.promo_code, extras=_fees(order.fee_cents)) if order.subtotal_cents else list(FREE)


def of_quote(quote: Quote) -> list[Row]:
    """Return the sums of tickets that are being bought."""
    totals = quote.totals
    if not totals.subtotal_cents:
        return list(FREE)
    return sums_of_quote(
        totals,
        currency=quote.currency,
        prices_include_tax=quote.prices_include_tax,
        total_cents=totals.total_cents,
        code=quote.code.code if quote.code else "",
        extras=_fees(quote.fee_cents),
    )


def _fees(cents: int) -> list[Extra]:
    return [("Booking fee", cents)] if cents else []
