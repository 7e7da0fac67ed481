"""Purchases in the admin: paid outside the site, and refunded."""

from typing import Any

from django.db.models import QuerySet
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, local_date
from commerce.common.admin.cells import figure, link
from commerce.common.selectors import format_money
from commerce.sales.admin import (
    SaleStatusColumn,
    SaleViewSet,
    amounts_for_csv,
    currency,
    payment_button,
    price_words,
    refund_button,
)

from ..models import Plan, Purchase
from ..selectors.listings import admin_url
from ..selectors.ownership import purchases
from ..services.purchasing import PURCHASES
from ..types.terms import PAYABLE, PlanKind, PurchaseStatus
from .plans import length

TONES = {PurchaseStatus.PENDING: "warning", PurchaseStatus.PAID: "positive"}


def listing_link(purchase: Purchase) -> str:
    """Return the name of the listing, with a link unless it has been deleted."""
    return link(purchase.listing, admin_url(purchase.listing.pk)) if purchase.listing else purchase.listing_name


class PurchaseViewSet(SaleViewSet):
    model = Purchase
    payable, tones = PAYABLE, TONES
    menu_label = "Purchases"
    menu_order = 40
    name = "listing_purchases"
    url_prefix = "listings/purchases"
    list_display = (
        RecordColumn("listing_name", label="Listing", accessor="listing_name"),
        NotedColumn("plan_name", label="Plan", note=lambda each: f"{each.get_kind_display()}, {length(each)}"),
        Column("total_cents", label="Amount", accessor=price_words),
        SaleStatusColumn(),
        NotedColumn("ends_at", label="Paid until", accessor=lambda each: local_date(each.ends_at)),
        Column("email", label="Buyer"),
        MomentColumn("created_at", label="Created"),
    )
    filters = {
        "status": filters.choice(PurchaseStatus.choices),
        "kind": filters.choice(PlanKind.choices),
        "plan": filters.record(Plan.objects.all()),
        "created_at": filters.date_range("Created"),
        "paid_at": filters.date_range("Paid"),
    }
    csv = {
        "Listing": "listing_name",
        "Plan": "plan_name",
        "Kind": "kind",
        "Months": "months",
        "Amount": figure("total_cents"),
        **amounts_for_csv("refunded"),
        "Currency": currency,
        "Status": "status",
        "Email": "email",
        "Created": "created_at",
        "Paid": "paid_at",
        "From": "starts_at",
        "Until": "ends_at",
    }
    transitions = (
        payment_button(
            PURCHASES,
            offered=lambda each: each.is_pending and not each.is_processing and each.listing_id is not None,
            confirm=lambda each: f"{format_money(each.total)} has arrived outside the site. The buyer gets an email.",
        ),
        refund_button(
            PURCHASES,
            offered=lambda each: each.status == PurchaseStatus.PAID,
            confirm="If all of it goes back, the listing loses the time that was paid for, unless that is over.",
        ),
    )

    def records(self) -> QuerySet[Purchase]:
        return purchases()

    def facts(self, record: Purchase) -> dict[str, Any]:
        return {
            **super().facts(record),
            "Listing": listing_link(record),
            "Plan": f"{record.plan_name} ({record.get_kind_display().lower()}, {length(record)})",
            "Buyer": record.email,
            "Paid from": record.starts_at,
            "Paid until": record.ends_at,
            "Created": record.created_at,
            "Paid": record.paid_at,
        }

    def get_note(self, sale: Purchase) -> str:
        return super().get_note(sale) or ("Awaiting payment" if sale.is_pending else "")
