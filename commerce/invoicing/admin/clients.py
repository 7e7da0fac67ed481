"""Clients in the admin, and their statements."""

from datetime import date
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.text import slugify
from django.views.generic import TemplateView
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets.button import BaseButton, Button

from cms_api.adminkit import filters
from cms_api.adminkit.columns import NotedColumn, RecordColumn
from cms_api.adminkit.forms import SiteDateField
from cms_api.adminkit.pages import RecordsPage
from cms_api.adminkit.viewset import RecordViewSet, by_services
from cms_api.flags.selectors import is_on
from cms_api.http.downloads import CSV_TYPE, document
from cms_api.text.addresses import country_name
from cms_api.text.search import matching
from commerce.common.admin.addresses import address_panel
from commerce.common.admin.cells import link, paragraphs
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.common.views import pdf_response

from ..models import Client, Invoice
from ..models.invoices import IS_OUTSTANDING
from ..resources.statements import statement_csv, statement_pdf
from ..selectors.invoices import of_status, today
from ..selectors.statements import statement
from ..services import delete_client, save_client
from ..types.invoices import OUTSTANDING, OVERDUE
from .forms import ClientForm
from .recurring import rows

#: Invoices and estimates that the page of a client shows.
SHOWN_DOCUMENTS = 20
PDF, CSV = "pdf", "csv"


def open_balance(client: Any) -> str:
    return format_money(Money(client.open_cents, settings.SITE_CURRENCY)) if client.open_cents else ""


def by_balance(found: QuerySet[Client], name: str, value: str) -> QuerySet[Client]:
    return found.filter(Exists(of_status(Invoice.objects.filter(client=OuterRef("pk")), value)))


class StatementForm(forms.Form):
    """The period of a statement, and its format."""

    first = SiteDateField(label="From")
    last = SiteDateField(label="To")
    format = forms.ChoiceField(choices=[(PDF, "PDF"), (CSV, "CSV")], widget=forms.RadioSelect, initial=PDF)

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        first, last = values.get("first"), values.get("last")
        if first and last and last < first:
            self.add_error("last", "The last day must not be before the first.")
        return values


class StatementView(RecordsPage, TemplateView):
    """Asks for the period of a client's statement, and answers with the document."""

    permission_required = "view"
    template_name = "invoicing_admin/statement.html"
    page_title = "Statement"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        self.client: Client = get_object_or_404(self.viewset.records(), pk=kwargs["pk"])
        self.form = StatementForm(request.GET or None, initial={"first": date(today().year, 1, 1), "last": today()})
        if not self.form.is_bound or not self.form.is_valid():
            return super().get(request, *args, **kwargs)
        values = self.form.cleaned_data
        found = statement(self.client, values["first"], values["last"])
        name = f"statement-{slugify(self.client.name)}-{values['last']}"
        if values["format"] == PDF:
            return pdf_response(statement_pdf(found).content, name)
        return document(statement_csv(found).encode(), name=f"{name}.csv", content_type=CSV_TYPE, is_attachment=True)

    def get_page_subtitle(self) -> str:
        return self.client.name

    def get_breadcrumb(self) -> str:
        return "Statement"

    def parents(self) -> list[dict[str, Any]]:
        return [{"url": self.viewset.url(self.client), "label": self.client.name}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, entry_form=self.form, back=self.viewset.url(self.client))


class ClientViewSet(RecordViewSet):
    model = Client
    icon = "user"
    menu_label = "Clients"
    menu_order = 40
    name = "clients"
    url_prefix = "invoices/clients"
    pages = ("add", "edit", "inspect", "delete", "history")
    ordering = ("name", "id")
    search = matching
    search_order = 182
    inspect_template_name = "invoicing_admin/client.html"
    delete_consequence = "The contact in the CRM stays."
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        NotedColumn("email", label="Email", note=lambda client: client.contact_name, sort_key="email"),
        Column("city", label="City", sort_key="city"),
        Column("country", label="Country", accessor=lambda client: country_name(client.country)),
        Column("open_cents", label="Open balance", accessor=open_balance),
    )
    filters = {
        "balance": filters.choice([(OUTSTANDING, "Outstanding"), (OVERDUE, "Overdue")], label="Invoices", method=by_balance),
        "created_at": filters.date_range("Created"),
    }
    csv = {
        "Name": "name",
        "Contact name": "contact_name",
        "Email": "email",
        "Phone": "phone",
        "Tax ID": "tax_id",
        "Street": "street",
        "Street, second line": "street2",
        "Postal code": "postal_code",
        "City": "city",
        "State or region": "state",
        "Country": "country",
        "Open balance": lambda client: Money(client.open_cents, settings.SITE_CURRENCY).amount,
        "Currency": lambda client: settings.SITE_CURRENCY.upper(),
        "Created": "created_at",
    }
    form = ClientForm
    panels = (
        MultiFieldPanel(
            [
                FieldPanel("name"),
                FieldPanel("contact_name"),
                FieldRowPanel([FieldPanel("email"), FieldPanel("phone")]),
                FieldPanel("tax_id"),
            ],
            heading="Client",
            icon="user",
        ),
        address_panel(),
        MultiFieldPanel([FieldPanel("notes")], heading="Notes", icon="doc-full"),
    )
    create, update, delete = by_services(save_client, "client", delete_client)

    def records(self) -> QuerySet[Client]:
        outstanding = Invoice.objects.filter(IS_OUTSTANDING, client=OuterRef("pk"), currency=settings.SITE_CURRENCY)
        balance = outstanding.order_by().values("client").annotate(sum=Sum("balance_due_cents")).values("sum")
        return Client.objects.annotate(open_cents=Coalesce(Subquery(balance), 0))

    def facts(self, record: Client) -> dict[str, Any]:
        contact = reverse("crm_contacts:inspect", args=[record.contact_id]) if record.contact_id and is_on("crm") else ""
        return {
            "Name": record.name,
            "Contact name": record.contact_name or None,
            "Email": record.email,
            "Phone": record.phone or None,
            "Address": ", ".join(record.address_lines) or None,
            "Tax ID": record.tax_id or None,
            "Open balance": open_balance(record) or "None",
            "Contact": link("Open in the CRM", contact) if contact else None,
            "Notes": paragraphs(record.notes),
            "Created": record.created_at,
        }

    def inspect_context(self, record: Client, request: HttpRequest) -> dict[str, Any]:
        latest = Invoice.objects.filter(client=record).order_by("-created_at", "-pk")[: SHOWN_DOCUMENTS + 1]
        found = rows(latest)
        query = {"client": record.pk}
        return {
            "invoices": found[:SHOWN_DOCUMENTS],
            "has_more": len(found) > SHOWN_DOCUMENTS,
            "invoices_url": set_query_params(reverse("invoices:index"), query),
            "estimates_url": set_query_params(reverse("estimates:index"), query),
            "recurring": record.recurring_invoices.all()[:SHOWN_DOCUMENTS],
        }

    def record_buttons(self, record: Client, user: Any) -> list[BaseButton]:
        def button(label: str, name: str, icon: str, place: int) -> Button:
            return Button(label, url=set_query_params(reverse(name), {"client": record.pk}), icon_name=icon, priority=place)

        return [
            button("New invoice", "invoices:add", "plus", 12),
            button("New estimate", "estimates:add", "plus", 13),
            Button("Statement", url=reverse("clients:statement", args=[record.pk]), icon_name="list-ul", priority=14),
        ]

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        return [path("statement/<id:pk>/", self.construct_view(StatementView), name="statement")]
