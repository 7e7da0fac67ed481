"""Invoices and estimates in the admin."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from wagtail.admin.ui.tables import Column

from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn
from cms_api.adminkit.history import register_log_actions
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.text.search import matching
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Invoice
from ..types.invoices import Kind


class InvoiceViewSet(RecordViewSet):
    model = Invoice
    kind = Kind.INVOICE
    icon = "doc-full"
    menu_label = "Invoices"
    menu_order = 30
    name = "invoices"
    pages = ("inspect", "history")
    list_display = (
        RecordColumn("number", label="Number", sort_key="number"),
        NotedColumn("client_name", label="Client", note=lambda invoice: invoice.email),
        Column("total_cents", label="Total", accessor=lambda invoice: format_money(invoice.total), sort_key="total_cents"),
        MomentColumn("created_at", label="Created"),
    )
    search = matching
    search_order = 180

    def records(self) -> QuerySet[Invoice]:
        return Invoice.objects.filter(kind=self.kind)


class EstimateViewSet(InvoiceViewSet):
    kind = Kind.ESTIMATE
    menu_label = "Estimates"
    menu_order = 31
    name = "estimates"
    search_order = 181


def _money(data: Mapping[str, Any]) -> str:
    return format_money(Money(data["cents"], data["currency"]))


register_log_actions(
    {
        "invoicing.issue": ("Issue", "Issued"),
        "invoicing.send": ("Send", lambda data: f"Sent to {data['email']}"),
        "invoicing.remind": ("Send reminder", "Sent a reminder"),
        "invoicing.void": ("Void", lambda data: f"Voided: {data['reason']}" if data.get("reason") else "Voided"),
        "invoicing.reopen": ("Edit again", "Made a draft again"),
        "invoicing.pay": ("Pay", lambda data: f"Paid {_money(data)} ({data['method']})"),
        "invoicing.payment_processing": ("Payment on its way", "A payment is on its way"),
        "invoicing.payment_failed": ("Payment failed", "The payment failed"),
        "invoicing.refund": ("Refund", lambda data: f"Asked to refund {_money(data)}"),
        "invoicing.refunded": ("Refunded", lambda data: f"Refunded {_money(data)}"),
        "invoicing.refund_failed": ("Refund failed", lambda data: f"A refund of {_money(data)} failed"),
        "invoicing.credit": ("Credit", lambda data: f"Credit note {data['number']} ({data['amount']})"),
        "invoicing.accepted": ("Accept", lambda data: f"Accepted by {data['name']}" if data.get("name") else "Accepted"),
        "invoicing.declined": ("Decline", lambda data: f"Declined by {data['name']}" if data.get("name") else "Declined"),
        "invoicing.convert": ("Convert", lambda data: f"Became {data['number']}"),
        "invoicing.pause": ("Pause", "Paused"),
        "invoicing.resume": ("Resume", "Resumed"),
    }
)
