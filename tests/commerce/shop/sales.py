"""The order of a shop: how the tests of all sales make, pay, refund and end it."""

from datetime import timedelta

from commerce.shop.selectors.orders import ORDER_LINK
from commerce.shop.services.ending import cancel_order, refund_order
from commerce.shop.services.housekeeping import release_lapsed_orders
from tests.commerce.sales.declaring import (
    CURRENCY,
    LAPSED,
    LOOKING,
    ON_ITS_WAY,
    PAID,
    PENDING,
    PROCESSING,
    REFUNDED,
    UNAPPLIED,
    Kind,
    button,
    has_status,
    linked,
)

from . import builders

KINDS = (
    Kind(
        "order",
        make=builders.make_order,
        is_paid=has_status("paid"),
        page=linked(ORDER_LINK),
        pays_at=button("shop_pay_order", ORDER_LINK),
        admin="orders",
        api="shop/orders",
        shown={
            PENDING: ("pending", "Your order is waiting for payment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("paid", "We've received your payment"),
            REFUNDED: ("refunded", "This order has been refunded."),
            LAPSED: ("pending", "Your order is waiting for payment."),
            UNAPPLIED: ("cancelled", "This order has been cancelled."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda order, cents: refund_order(order=order, amount_cents=cents),
        end=lambda order: cancel_order(order=order),
        lapses_after=timedelta(hours=1),
        lapse=release_lapsed_orders,
        is_due_after_lapse=True,
        takes_late_money=True,
    ),
)
