"""Invoicing in the admin."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions
from commerce.common.admin.cells import logged_amount
from commerce.sales.admin import register_sale_actions

from .choosers import CLIENT_CHOOSER
from .clients import ClientViewSet
from .invoices import EstimateViewSet, InvoiceViewSet
from .recurring import RecurringViewSet

__all__ = ["CLIENT_CHOOSER", "INVOICING"]


class InvoicingGroup(ModelViewSetGroup):
    menu_label = "Invoicing"
    menu_icon = "doc-full"
    items = (InvoiceViewSet, EstimateViewSet, RecurringViewSet, ClientViewSet)


INVOICING = InvoicingGroup()


register_sale_actions("invoicing")
register_log_actions(
    {
        "invoicing.issue": ("Issue", "Issued"),
        "invoicing.send": ("Send", lambda data: f"Sent to {data['email']}"),
        "invoicing.remind": ("Send reminder", "Sent a reminder"),
        "invoicing.void": ("Void", lambda data: f"Voided: {data['reason']}" if data.get("reason") else "Voided"),
        "invoicing.reopen": ("Edit again", "Made a draft again"),
        "invoicing.pay": ("Pay", lambda data: f"Paid {logged_amount(data)} ({data['method']})"),
        "invoicing.credit": ("Credit", lambda data: f"Credit note {data['number']} ({data['amount']})"),
        "invoicing.accepted": ("Accept", lambda data: f"Accepted by {data['name']}" if data.get("name") else "Accepted"),
        "invoicing.declined": ("Decline", lambda data: f"Declined by {data['name']}" if data.get("name") else "Declined"),
        "invoicing.convert": ("Convert", lambda data: f"Became {data['number']}"),
        "invoicing.pause": ("Pause", "Paused"),
        "invoicing.resume": ("Resume", "Resumed"),
    }
)
