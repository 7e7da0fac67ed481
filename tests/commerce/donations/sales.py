"""A donation: how the tests of all sales make, pay, refund and end it."""

from datetime import timedelta

from commerce.donations.selectors.donations import DONATION_LINK
from commerce.donations.services.housekeeping import fail_abandoned_donations
from commerce.donations.services.paying import DONATIONS
from tests.commerce.sales.declaring import (
    CURRENCY,
    FAILED,
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
    set_values,
)

from . import builders

KINDS = (
    Kind(
        "donation",
        make=builders.make_donation,
        is_paid=has_status("paid"),
        set_amount=lambda record, cents: set_values(record, {"amount_cents": cents}),
        set_ended=lambda record: set_values(record, {"status": "refunded"}),
        page=linked(DONATION_LINK),
        pays_at=button("donation_pay", DONATION_LINK),
        admin="donations",
        api="donations",
        shown={
            PENDING: ("pending", "Your donation is waiting for payment."),
            PROCESSING: ("pending", ON_ITS_WAY),
            PAID: ("paid", "We've received your donation"),
            PARTLY_REFUNDED: ("paid", "Partly refunded"),
            REFUNDED: ("refunded", "Your donation has been refunded."),
            LAPSED: ("failed", "Your payment didn't go through. You haven't been charged."),
            FAILED: ("failed", "Your payment didn't go through. You haven't been charged."),
            CURRENCY: ("pending", LOOKING),
        },
        refund=lambda donation, cents: DONATIONS.refund(donation, amount_cents=cents),
        lapses_after=timedelta(hours=26),
        lapse=fail_abandoned_donations,
        is_due_after_lapse=True,
        takes_late_money=True,
        impossible={UNAPPLIED: "A gift is taken whenever it arrives."},
        names_amount=False,
    ),
)
