"""The order of a restaurant: how the tests of all sales make, pay, refund and end it."""

from datetime import timedelta

from commerce.restaurant.selectors.orders import ORDER_LINK as MEAL_LINK
from commerce.restaurant.services.housekeeping import lapse_orders
from commerce.restaurant.services.kitchen import cancel_order as cancel_meal
from commerce.restaurant.services.paying import ORDERS as MEALS
from tests.commerce.sales.declaring import (
    CURRENCY,
    LAPSED,
    LOOKING,
    ON_ITS_WAY,
    PAID,
    PARTLY_REFUNDED,
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
        "restaurant_order",
        make=lambda: builders.make_order(payment_method="online"),
        is_paid=has_status("placed"),
        page=linked(MEAL_LINK),
        pays_at=button("restaurant_pay_order", MEAL_LINK),
        admin="restaurant_orders",
        shown={
            PENDING: ("pending", "Your order is waiting for payment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("placed", "Thank you! We've received your order."),
            REFUNDED: ("placed", "Payment Refunded"),
            PARTLY_REFUNDED: ("placed", "Payment Partly refunded"),
            LAPSED: ("cancelled", "This order has been cancelled."),
            UNAPPLIED: ("cancelled", "This order has been cancelled."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda order, cents: MEALS.refund(order, amount_cents=cents),
        end=lambda order: cancel_meal(order=order),
        lapses_after=timedelta(hours=1),
        lapse=lapse_orders,
    ),
)
