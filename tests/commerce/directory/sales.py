"""The purchase of a term of a listing: how the tests of all sales make, pay, refund and end it."""

from datetime import timedelta

from django.urls import reverse

from commerce.directory.services.purchasing import PURCHASES, cancel_unpaid
from commerce.directory.services.statuses import archive_listing
from tests.commerce.sales.declaring import LAPSED, PAID, PENDING, PROCESSING, REFUNDED, UNAPPLIED, Kind, has_status

from . import builders

KINDS = (
    Kind(
        "listing_purchase",
        make=lambda: builders.make_purchase(builders.make_ended(owner=builders.make_owner())),
        is_paid=has_status("paid"),
        page=lambda purchase: reverse("directory_account_listing", args=[purchase.listing_id]),
        pays_at=lambda purchase: reverse("directory_account_buy", args=[purchase.listing_id, purchase.plan_id]),
        admin="listing_purchases",
        shown={
            PENDING: ("pending", "Choose a term"),
            PROCESSING: ("pending", "Payment on its way"),
            PAID: ("paid", "Paid,"),
            REFUNDED: ("refunded", "Refunded"),
            LAPSED: ("cancelled", "Choose a term"),
            UNAPPLIED: ("pending", "Your listing is archived."),
        },
        refund=lambda purchase, cents: PURCHASES.refund(purchase, amount_cents=cents),
        end=lambda purchase: archive_listing(listing=purchase.listing),
        lapses_after=timedelta(days=8),
        lapse=cancel_unpaid,
        visitor=lambda purchase: purchase.buyer,
        names_amount=False,
        sells_again=True,
    ),
)
