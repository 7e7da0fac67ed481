"""Recurring invoices in the admin."""

from datetime import date
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.columns import RecordColumn, StatusColumn, TransitionsColumn
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet, by_services
from commerce.common.admin.cells import day, link
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import RecurringInvoice
from ..models.recurring import IS_STOPPED
from ..services import save_recurring, switch_recurring
from .forms import RecurringForm
from .invoices import ITEM_PANELS, AddForClientView, status, tone

#: Invoices that the page of a recurring invoice shows.
SHOWN_INVOICES = 20
ACTIVE, PAUSED, ENDED, STOPPED = "active", "paused", "ended", "problem"
LABELS = {ACTIVE: "Active", PAUSED: "Paused", ENDED: "Ended", STOPPED: "Needs attention"}
TONES = {ACTIVE: "positive", STOPPED: "critical"}


def is_stopped(recurring: RecurringInvoice) -> bool:
    return bool(recurring.problem) or recurring.missed_on is not None


def problem(recurring: RecurringInvoice) -> str:
    """Return why an invoice could not be made, and that it is still missing."""
    missed = f"Paused: the invoice of {day(recurring.missed_on)} hasn't been made." if recurring.missed_on else ""
    return f"{missed} {recurring.problem or ('Resume to make it.' if missed else '')}".strip()


def state(recurring: RecurringInvoice) -> str:
    if is_stopped(recurring):
        return STOPPED
    if recurring.next_on is None:
        return ENDED
    return ACTIVE if recurring.is_active else PAUSED


def in_state(found: QuerySet[RecurringInvoice], name: str, value: str) -> QuerySet[RecurringInvoice]:
    if value == STOPPED:
        return found.filter(IS_STOPPED)
    sound = found.exclude(IS_STOPPED)
    if value == ENDED:
        return sound.filter(next_on=None)
    return sound.filter(next_on__isnull=False, is_active=value == ACTIVE)


def rhythm(recurring: RecurringInvoice) -> str:
    """Return how often an invoice is made: `Every 3 months`."""
    unit = recurring.get_interval_display().lower()
    return f"Every {unit}" if recurring.every == 1 else f"Every {recurring.every} {unit}s"


def next_date(recurring: RecurringInvoice) -> date | None:
    return recurring.next_on if recurring.is_active else None


class RecurringViewSet(RecordViewSet):
    model = RecurringInvoice
    icon = "rotate"
    menu_label = "Recurring invoices"
    menu_order = 30
    name = "recurring_invoices"
    url_prefix = "invoices/recurring"
    pages = ("add", "edit", "inspect", "delete", "history")
    ordering = ("name", "id")
    search_fields = ["name", "client__name", "client__email"]
    add_view_class = AddForClientView
    inspect_template_name = "invoicing_admin/recurring.html"
    create_template_name = edit_template_name = "invoicing_admin/form.html"
    delete_consequence = "Invoices that it has made stay."
    list_display = (
        RecordColumn("name", label="Name", sort_key="name"),
        Column("client", label="Client", accessor=lambda recurring: recurring.client.name, sort_key="client__name"),
        StatusColumn(
            "state",
            label="Status",
            accessor=lambda recurring: LABELS[state(recurring)],
            tone=lambda recurring: TONES.get(state(recurring), ""),
            note=problem,
        ),
        Column("interval", label="Interval", accessor=rhythm),
        Column("next_on", label="Next", accessor=lambda recurring: day(next_date(recurring)), sort_key="next_on"),
        TransitionsColumn("actions", label="Actions", accessor=lambda recurring: ""),
    )
    nulls_last = ("next_on",)
    filters = {"state": filters.choice([*LABELS.items()], label="Status", method=in_state)}
    csv = {
        "Name": "name",
        "Client": lambda recurring: recurring.client.name,
        "Status": lambda recurring: LABELS[state(recurring)],
        "Interval": rhythm,
        "First date": "starts_on",
        "Next date": next_date,
        "Last date": "ends_on",
        "When its date comes": "get_delivery_display",
    }
    form = RecurringForm
    panels = (
        MultiFieldPanel(
            [FieldPanel("name"), FieldPanel("client"), FieldPanel("reference")], heading="Recurring invoice", icon="rotate"
        ),
        MultiFieldPanel(
            [
                FieldRowPanel([FieldPanel("starts_on"), FieldPanel("ends_on")]),
                FieldRowPanel([FieldPanel("every"), FieldPanel("interval")]),
                FieldPanel("due_days"),
                FieldPanel("delivery"),
            ],
            heading="Schedule",
            icon="calendar",
        ),
        *ITEM_PANELS,
    )
    transitions = (
        Transition(
            "pause",
            "Pause",
            calling(switch_recurring, "recurring", on=False),
            "{record} is paused.",
            offered=lambda recurring: recurring.is_active and recurring.next_on is not None,
        ),
        Transition(
            "resume",
            "Resume",
            calling(switch_recurring, "recurring", on=True),
            "{record} continues with its next date.",
            offered=lambda recurring: not recurring.is_active and recurring.missed_on is None,
        ),
        Transition(
            "bill-missed",
            "Bill missed period",
            calling(switch_recurring, "recurring", on=True),
            "{record} continues. Missed invoices are made within minutes.",
            offered=lambda recurring: not recurring.is_active and recurring.missed_on is not None,
            confirm=lambda recurring: (
                f"The invoice of {day(recurring.missed_on)}, and those since, are made within minutes. Then it goes on with its "
                "next date."
            ),
        ),
        Transition(
            "skip-missed",
            "Resume without it",
            calling(switch_recurring, "recurring", on=True, bills_missed=False),
            "{record} continues with its next date.",
            offered=lambda recurring: not recurring.is_active and recurring.missed_on is not None,
            confirm=lambda recurring: f"The invoice of {day(recurring.missed_on)} is not made.",
        ),
    )
    create, update, delete = by_services(save_recurring, "recurring")

    def records(self) -> QuerySet[RecurringInvoice]:
        return RecurringInvoice.objects.select_related("client")

    def facts(self, record: RecurringInvoice) -> dict[str, Any]:
        return {
            "Status": LABELS[state(record)],
            "Problem": problem(record) or None,
            "Client": link(record.client, reverse("clients:inspect", args=[record.client_id])),
            "Interval": rhythm(record),
            "First date": day(record.starts_on),
            "Next date": day(next_date(record)) or "None",
            "Last date": day(record.ends_on) or None,
            "Days to pay": record.due_days,
            "When its date comes": record.get_delivery_display(),
            "Reference": record.reference or None,
        }

    def inspect_context(self, record: RecurringInvoice, request: HttpRequest) -> dict[str, Any]:
        made = record.invoices.order_by("-period", "-pk")[:SHOWN_INVOICES]
        return {"invoices": rows(made)}


def rows(invoices: Any) -> list[dict[str, Any]]:
    """Return invoices and estimates as tables on the pages of other records show them."""
    return [
        {
            "invoice": invoice,
            "url": reverse("invoices:inspect" if invoice.is_invoice else "estimates:inspect", args=[invoice.pk]),
            "status": status(invoice),
            "classname": f"records__tag--{tone(invoice)}" if tone(invoice) else "",
            "issued": day(invoice.issue_date),
            "due": day(invoice.due_date),
            "total": format_money(invoice.total),
            "balance": format_money(Money(invoice.balance_due_cents, invoice.currency)) if invoice.is_invoice else "",
        }
        for invoice in invoices
    ]
