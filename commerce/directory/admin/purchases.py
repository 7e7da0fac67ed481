"""Purchases in the admin: paid outside the site, and refunded."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn, local_date
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.viewset import RecordViewSet
from commerce.common.admin.amounts import RecordedPaymentForm, RefundForm
from commerce.common.admin.cells import amount, figure, link
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import payments_of, refundable_cents, refunds_of
from commerce.payments.services import check_refund
from commerce.payments.types import RECORDED

from ..models import Plan, Purchase
from ..selectors.listings import admin_url
from ..selectors.ownership import purchases
from ..services.recording import record_purchase_payment, refund_purchase
from ..types.terms import PAYABLE, PlanKind, PurchaseStatus
from .plans import length

TONES = {PurchaseStatus.PENDING: "warning", PurchaseStatus.PAID: "positive"}


class PaymentForm(RecordedPaymentForm):
    """Asks for the payment of a purchase, which is always paid whole."""

    methods = RECORDED

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        del self.fields["amount_cents"]

    def most_of(self, record: Purchase) -> int:
        return record.total_cents


class PurchaseRefundForm(RefundForm):
    def most_of(self, record: Purchase) -> int:
        return refundable_cents(PAYABLE, record.pk)

    def check(self, amount_cents: int) -> int:
        return check_refund(payable=PAYABLE, record_id=self.record.pk, amount_cents=amount_cents)


def pay(purchase: Purchase, user: Any, values: Mapping[str, Any]) -> Any:
    return record_purchase_payment(purchase=purchase, values=values, user=user)


def refund(purchase: Purchase, user: Any, values: Mapping[str, Any]) -> Any:
    return refund_purchase(purchase=purchase, amount_cents=values["amount_cents"], reason=values["reason"], user=user)


def status_note(purchase: Purchase) -> str:
    """Return what a purchase waits for, or how much of it went back."""
    if purchase.is_pending:
        return "Payment on its way" if purchase.is_processing else "Awaiting payment"
    if purchase.status == PurchaseStatus.PAID and purchase.refunded_cents:
        return f"{format_money(Money(purchase.refunded_cents, purchase.currency))} refunded"
    return ""


def listing_link(purchase: Purchase) -> str:
    """Return the name of the listing, with a link unless it has been deleted."""
    return link(purchase.listing, admin_url(purchase.listing.pk)) if purchase.listing else purchase.listing_name


class PurchaseViewSet(RecordViewSet):
    model = Purchase
    icon = "clipboard-list"
    menu_label = "Purchases"
    menu_order = 40
    name = "listing_purchases"
    url_prefix = "listings/purchases"
    pages = ("inspect", "history")
    inspect_template_name = "directory_admin/purchase.html"
    list_display = (
        RecordColumn("listing_name", label="Listing", accessor="listing_name"),
        NotedColumn("plan_name", label="Plan", note=lambda each: f"{each.get_kind_display()}, {length(each)}"),
        Column("total_cents", label="Amount", accessor=amount("total_cents")),
        StatusColumn("status", label="Status", tone=lambda each: TONES.get(PurchaseStatus(each.status), ""), note=status_note),
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
        "Refunded": figure("refunded_cents"),
        "Currency": lambda each: each.currency.upper(),
        "Status": "status",
        "Email": "email",
        "Created": "created_at",
        "Paid": "paid_at",
        "From": "starts_at",
        "Until": "ends_at",
    }
    transitions = (
        Transition(
            "record_payment",
            "Record payment",
            pay,
            "Payment for {record} recorded.",
            offered=lambda each: each.is_pending and not each.is_processing and each.listing_id is not None,
            form=PaymentForm,
            on_page=True,
            confirm=lambda each: f"{format_money(each.total)} has arrived outside the site. The buyer gets an email.",
        ),
        Transition(
            "refund",
            "Refund",
            refund,
            "Refund of {record} started.",
            offered=lambda each: each.status == PurchaseStatus.PAID and refundable_cents(PAYABLE, each.pk) > 0,
            form=PurchaseRefundForm,
            on_page=True,
            serious=True,
            confirm="If all of it goes back, the listing loses the time that was paid for, unless that is over.",
        ),
    )

    def records(self) -> QuerySet[Purchase]:
        return purchases()

    def facts(self, record: Purchase) -> dict[str, Any]:
        return {
            "Status": " · ".join(filter(None, (record.get_status_display(), status_note(record)))),
            "Listing": listing_link(record),
            "Plan": f"{record.plan_name} ({record.get_kind_display().lower()}, {length(record)})",
            "Amount": format_money(record.total),
            "Buyer": record.email,
            "Paid from": record.starts_at,
            "Paid until": record.ends_at,
            "Created": record.created_at,
            "Paid": record.paid_at,
        }

    def inspect_context(self, record: Purchase, request: HttpRequest) -> dict[str, Any]:
        return {"payments": payments_of(PAYABLE, record.pk), "refunds": refunds_of(PAYABLE, record.pk)}
