"""Invoices and estimates in the admin."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, reverse
from wagtail.admin.admin_url_finder import ModelAdminURLFinder, register_admin_url_finder
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, Button

from cms_api.adminkit import filters
from cms_api.adminkit.columns import NotedColumn, RecordColumn, local_date, person
from cms_api.adminkit.ids import is_id
from cms_api.adminkit.links import existing_path
from cms_api.adminkit.views import AddView
from cms_api.text.search import matching
from commerce.common.admin.cells import amount, day, figure, link, paragraphs
from commerce.common.selectors import format_money
from commerce.sales.admin import ON_ITS_WAY, SaleStatusColumn, SaleViewSet, amounts_for_csv, currency
from commerce.sales.resources import Row

from ..models import Client, Estimate, Invoice
from ..resources import sums
from ..selectors.invoices import INVOICE_LINK, admin_url, of_status, today
from ..services import save_invoice
from ..types.invoices import OUTSTANDING, OVERDUE, PARTIAL, PAYABLE, STATUSES, Kind, Status
from .choosers import CLIENT_CHOOSER
from .documents import patterns
from .forms import EstimateForm, InvoiceForm
from .transitions import OF_ESTIMATES, OF_INVOICES, REMIND, SEND_DRAFTS

LABELS = {**dict(Status.choices), PARTIAL: "Partially paid", OVERDUE: "Overdue", OUTSTANDING: "Outstanding"}
TONES = {
    Status.SENT: "info",
    PARTIAL: "warning",
    OVERDUE: "critical",
    Status.PAID: "positive",
    Status.ACCEPTED: "positive",
}


def status(invoice: Invoice) -> str:
    return LABELS[invoice.display_status(today())]


def tone(invoice: Invoice) -> str:
    return TONES.get(invoice.display_status(today()), "")


def has_expired(invoice: Invoice) -> bool:
    is_open = not invoice.is_invoice and invoice.status == Status.SENT
    return is_open and invoice.due_date is not None and invoice.due_date < today()


def balance(invoice: Invoice) -> str:
    return format_money(invoice.balance) if invoice.is_outstanding or invoice.status == Status.PAID else ""


def by_status(found: QuerySet[Invoice], name: str, value: str) -> QuerySet[Invoice]:
    return of_status(found, value)


def form_panels(due: Any) -> tuple[Any, ...]:
    return (
        MultiFieldPanel(
            [
                FieldPanel("client"),
                FieldRowPanel([FieldPanel("recipient"), FieldPanel("reference")]),
                FieldPanel("issue_date"),
                FieldRowPanel(due),
            ],
            heading="Client and dates",
            icon="user",
        ),
        *ITEM_PANELS,
    )


ITEM_PANELS = (
    MultiFieldPanel([FieldPanel("prices_include_tax"), FieldPanel("items_editor")], heading="Items", icon="list-ul"),
    MultiFieldPanel([FieldRowPanel([FieldPanel("discount_percent"), FieldPanel("discount")])], heading="Discount", icon="tag"),
    MultiFieldPanel([FieldPanel("notes"), FieldPanel("terms")], heading="Notes and terms", icon="doc-full"),
)


class AddForClientView(AddView):
    """May begin with the client whose id is in the address."""

    def get_initial(self) -> dict[str, Any]:
        text = self.request.GET.get("client", "")
        client = Client.objects.filter(pk=text).first() if is_id(text) else None
        return {**super().get_initial(), **({"client": client} if client else {})}


class InvoiceViewSet(SaleViewSet):
    model = Invoice
    payable = PAYABLE
    kind = Kind.INVOICE
    icon = "doc-full"
    menu_label = "Invoices"
    menu_order = 10
    name = "invoices"
    pages = ("add", "edit", "inspect", "history")
    add_view_class = AddForClientView
    inspect_template_name = "invoicing_admin/invoice.html"
    create_template_name = edit_template_name = "invoicing_admin/form.html"
    list_display: Any = (
        RecordColumn("number", label="Number", sort_key="number"),
        NotedColumn("client_name", label="Client", note=lambda invoice: invoice.email, sort_key="client_name"),
        SaleStatusColumn(),
        Column("total_cents", label="Total", accessor=amount("total_cents"), sort_key="total_cents"),
        Column("balance_due_cents", label="Balance due", accessor=balance, sort_key="balance_due_cents"),
        Column("issue_date", label="Issued", accessor=lambda invoice: day(invoice.issue_date), sort_key="issue_date"),
        Column("due_date", label="Due", accessor=lambda invoice: day(invoice.due_date), sort_key="due_date"),
    )
    nulls_last = ("number", "due_date")
    filters = {
        "status": filters.choice(
            [(name, LABELS[name]) for name in (*STATUSES[kind], OUTSTANDING, PARTIAL, OVERDUE)], method=by_status
        ),
        "client": filters.record(Client.objects.all(), widget=CLIENT_CHOOSER.widget_class),
        "issue_date": filters.plain_date_range("Issued"),
        "due_date": filters.plain_date_range("Due"),
    }
    search = matching
    search_order = 180
    csv = {
        "Number": "number",
        "Status": status,
        "Client": "client_name",
        "Email": "email",
        "Reference": "reference",
        "Issue date": "issue_date",
        "Due date": "due_date",
        "Currency": currency,
        **amounts_for_csv("subtotal"),
        "Discount": figure("taken_off_cents"),
        **amounts_for_csv("tax", "total"),
        "Paid": figure("amount_paid_cents"),
        **amounts_for_csv("credited", "balance_due"),
        "Sent": "sent_at",
        "Paid in full": "paid_at",
        "Notes": "notes",
    }
    form: Any = InvoiceForm
    panels = form_panels([FieldPanel("days"), FieldPanel("due_date")])
    transitions: Any = OF_INVOICES
    bulk_actions: Any = (SEND_DRAFTS, REMIND)

    def get_status(self, sale: Invoice) -> str:
        return status(sale)

    def get_tone(self, sale: Invoice) -> str:
        return tone(sale)

    def get_note(self, sale: Invoice) -> str:
        if sale.is_processing:
            return ON_ITS_WAY
        return "Expired" if has_expired(sale) else ""

    def get_sums(self, sale: Invoice) -> list[Row]:
        return [*sums.totals(sale), *sums.balance(sale)]

    def records(self) -> QuerySet[Invoice]:
        return Invoice.objects.filter(kind=self.kind).select_related("client")

    def create(self, values: dict[str, Any], user: Any) -> Invoice:
        return save_invoice(values=values, kind=self.kind, user=user)

    def update(self, record: Invoice, values: dict[str, Any], user: Any) -> Invoice:
        return save_invoice(values=values, invoice=record, user=user)

    def may_edit(self, record: Invoice) -> bool:
        return record.is_draft

    def register_admin_url_finder(self) -> None:
        """Lead to the page of the record, whichever kind it is: most of them cannot be edited."""
        finder = type(
            "Finder",
            (ModelAdminURLFinder,),
            {"construct_edit_url": lambda self, record: existing_path(admin_url(record)) or None},
        )
        register_admin_url_finder(self.model, finder)

    def record_buttons(self, record: Invoice, user: Any) -> list[BaseButton]:
        url = reverse(self.get_url_name("pdf"), args=[record.pk])
        return [Button("View PDF", url=url, icon_name="doc-full", priority=12)]

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return patterns(self)

    def facts(self, record: Invoice) -> dict[str, Any]:
        client = link(record.client_name, reverse("clients:inspect", args=[record.client_id]))
        return {
            **super().facts(record),
            "Client": client,
            "Email": record.email,
            "Reference": record.reference or None,
            "Issue date": day(record.issue_date) if record.is_dated or not record.is_draft else "On sending",
            "Due date" if record.is_invoice else "Valid until": day(record.due_date) or "None",
            **self.origin(record),
            "Sent": record.sent_at,
            "Paid": record.paid_at,
            **decision(record),
            "Notes": paragraphs(record.notes),
            "Terms": paragraphs(record.terms),
            "Created": record.created_at,
        }

    def origin(self, record: Invoice) -> dict[str, Any]:
        """Return what the record was made from, or became."""
        recurring, estimate = record.recurring, record.estimate
        return {
            "Estimate": link(estimate, admin_url(estimate)) if estimate else None,
            "Recurring invoice": link(recurring, reverse("recurring_invoices:inspect", args=[recurring.pk]))
            if recurring
            else None,
        }

    def inspect_context(self, record: Invoice, request: HttpRequest) -> dict[str, Any]:
        stored = getattr(record, "pdf", None)
        return {
            **super().inspect_context(record, request),
            "receipt_view": "invoices:receipt",
            "items": record.items.all(),
            "is_inclusive": record.prices_include_tax and record.tax_cents,
            "public_url": "" if record.is_draft else INVOICE_LINK.path(record),
            "pdf_url": reverse(self.get_url_name("pdf"), args=[record.pk]),
            "sha256": stored.sha256 if stored else "",
            "missing": stored.missing if stored else "",
            "notes": [credit_note(note) for note in record.credit_notes.select_related("created_by", "invoice")],
        }


class EstimateViewSet(InvoiceViewSet):
    model = Estimate
    kind = Kind.ESTIMATE
    menu_label = "Estimates"
    menu_order = 20
    name = "estimates"
    url_prefix = "estimates"
    search_order = 181
    list_display = (
        *InvoiceViewSet.list_display[:4],
        InvoiceViewSet.list_display[5],
        Column("due_date", label="Valid until", accessor=lambda estimate: day(estimate.due_date), sort_key="due_date"),
    )
    filters = {
        **InvoiceViewSet.filters,
        "status": filters.choice([(name, LABELS[name]) for name in STATUSES[kind]]),
        "due_date": filters.plain_date_range("Valid until"),
    }
    csv = {
        "Number": "number",
        "Status": status,
        "Client": "client_name",
        "Email": "email",
        "Reference": "reference",
        "Issue date": "issue_date",
        "Valid until": "due_date",
        "Currency": currency,
        **amounts_for_csv("subtotal"),
        "Discount": figure("taken_off_cents"),
        **amounts_for_csv("tax", "total"),
        "Sent": "sent_at",
        "Decided": "decided_at",
        "Decided by": "decided_by",
        "Notes": "notes",
    }
    form = EstimateForm
    transitions = OF_ESTIMATES
    bulk_actions = (SEND_DRAFTS,)

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [each for each in patterns(self) if each.name == "pdf"]

    def origin(self, record: Invoice) -> dict[str, Any]:
        made: Invoice | None = getattr(record, "invoice", None)
        return {"Invoice": link(made, admin_url(made)) if made else None}


def decision(record: Invoice) -> Mapping[str, Any]:
    """Return how an estimate was answered, or that an invoice was made void, as facts."""
    if record.decided_at is None:
        return {}
    return {
        record.get_status_display(): record.decided_at,
        "Decided by": record.decided_by or None,
        "Note": record.decision_note or None,
    }


def credit_note(note: Any) -> dict[str, Any]:
    return {
        "number": note.number,
        "url": reverse("invoices:credit_note", args=[note.pk]),
        "amount": format_money(note.total),
        "reason": note.reason,
        "by": person(note.created_by),
        "at": local_date(note.created_at),
    }
