"""An order of tickets: how the tests of all sales make, pay, refund and end it."""

from datetime import timedelta

from commerce.ticketing.selectors.orders import ORDER_LINK as TICKETS_LINK
from commerce.ticketing.services.ending import cancel_order as cancel_tickets
from commerce.ticketing.services.ending import refund_order as refund_tickets
from commerce.ticketing.services.housekeeping import release_seats
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
        "ticket_order",
        make=lambda: builders.make_order(builders.make_sales(builders.adult())),
        is_paid=has_status("paid"),
        page=linked(TICKETS_LINK),
        pays_at=button("tickets_pay", TICKETS_LINK),
        admin="ticket_orders",
        api="ticketing/orders",
        shown={
            PENDING: ("pending", "Your order is waiting for payment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("paid", "We've emailed the tickets to"),
            REFUNDED: ("refunded", "This order has been refunded."),
            LAPSED: ("cancelled", "This order has been cancelled because it wasn't paid in time."),
            UNAPPLIED: ("cancelled", "This order has been cancelled."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda order, cents: refund_tickets(order=order, amount_cents=cents),
        end=lambda order: cancel_tickets(order=order),
        lapses_after=timedelta(hours=1),
        lapse=release_seats,
        takes_late_money=True,
    ),
)
