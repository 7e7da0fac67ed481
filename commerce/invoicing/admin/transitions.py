"""The buttons of invoices and estimates."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse

from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.transitions import Transition, calling
from commerce.common.selectors import format_money
from commerce.sales.admin import BalanceForm, payment_button, refund_button

from ..models import Invoice
from ..selectors.invoices import admin_url
from ..services import (
    INVOICES,
    accept_estimate,
    convert_estimate,
    credit_invoice,
    decline_estimate,
    duplicate_invoice,
    issue_invoice,
    reopen_estimate,
    send_invoice,
    send_reminder,
    void_invoice,
)
from ..services.issuing import BY_HAND, SENDABLE
from ..types.invoices import Status
from .questions import CreditForm, DecisionForm, SendForm, VoidForm

Values = Mapping[str, Any]


def is_in(*statuses: Status) -> Any:
    return lambda invoice: invoice.status in statuses


def draft_url(invoice: Invoice) -> str:
    """Return where a draft is edited; the page of an invoice that is none any more."""
    if not invoice.is_draft:
        return admin_url(invoice)
    return reverse("invoices:edit" if invoice.is_invoice else "estimates:edit", args=[invoice.pk])


def send_draft(invoice: Invoice, user: Any, values: Values) -> bool:
    return invoice.is_draft and bool(send_invoice(invoice=invoice, user=user))


def can_be_paid(invoice: Invoice) -> bool:
    return invoice.status in {Status.DRAFT, Status.SENT} and invoice.balance_due_cents > 0


def can_be_credited(invoice: Invoice) -> bool:
    return invoice.status in {Status.SENT, Status.PAID} and invoice.credited_cents < invoice.total_cents


def can_be_voided(invoice: Invoice) -> bool:
    is_untouched = not (invoice.amount_paid_cents or invoice.credited_cents or invoice.is_processing)
    is_free = invoice.status == Status.PAID and not invoice.total_cents
    return invoice.is_draft or ((invoice.is_outstanding or is_free) and is_untouched)


def can_be_converted(estimate: Invoice) -> bool:
    made: Invoice | None = getattr(estimate, "invoice", None)
    return estimate.status in {Status.SENT, Status.ACCEPTED} and (made is None or made.status == Status.VOID)


SEND = Transition(
    "send",
    "Send",
    calling(send_invoice, "invoice", "email", "message"),
    lambda invoice: f"{Invoice.objects.get(pk=invoice.pk)} sent.",
    offered=is_in(*SENDABLE),
    form=SendForm,
    on_page=True,
)
DUPLICATE = Transition(
    "duplicate",
    "Duplicate",
    calling(duplicate_invoice, "invoice"),
    "This draft is a copy of {record}.",
    permission="add",
    leads_to=draft_url,
)

OF_INVOICES = (
    SEND,
    Transition(
        "issue",
        "Mark as issued",
        calling(issue_invoice, "invoice"),
        "The invoice has been issued.",
        offered=lambda invoice: invoice.is_draft,
        confirm="An issued invoice can't be changed any more. The client is not emailed.",
    ),
    payment_button(INVOICES, offered=can_be_paid, form=BalanceForm),
    Transition(
        "remind",
        "Send reminder",
        calling(send_reminder, "invoice", kind=BY_HAND),
        "Reminder of {record} sent.",
        offered=lambda invoice: invoice.is_outstanding and not invoice.is_processing,
        confirm=lambda invoice: (
            f"{invoice.email} gets an email about the balance of {format_money(invoice.balance)}, with the invoice attached."
        ),
    ),
    Transition(
        "credit",
        "Create credit note",
        calling(credit_invoice, "invoice", "quantities", "amount_cents", "reason", "refund", "send_email"),
        "{record} has been credited.",
        offered=can_be_credited,
        form=CreditForm,
        on_page=True,
        serious=True,
    ),
    refund_button(
        INVOICES,
        offered=lambda invoice: invoice.amount_paid_cents > 0,
        confirm="The refunded amount is due again, unless a credit note covers it. Create a credit note to correct the invoice.",
    ),
    DUPLICATE,
    Transition(
        "void",
        "Void",
        calling(void_invoice, "invoice", "reason"),
        "{record} is void.",
        offered=can_be_voided,
        confirm="It can no longer be paid, and its number is not used again.",
        form=VoidForm,
        on_page=True,
        serious=True,
    ),
)

OF_ESTIMATES = (
    SEND,
    Transition(
        "issue",
        "Mark as sent",
        calling(issue_invoice, "invoice"),
        "The estimate counts as sent.",
        offered=lambda estimate: estimate.is_draft,
        confirm="Choose this if the client got it in another way. The client is not emailed.",
    ),
    Transition(
        "convert",
        "Convert to invoice",
        calling(convert_estimate, "estimate"),
        "This invoice was made from {record}.",
        offered=can_be_converted,
        leads_to=draft_url,
    ),
    Transition(
        "accept",
        "Mark as accepted",
        calling(accept_estimate, "estimate", "name", "note"),
        "{record} is accepted.",
        offered=is_in(Status.SENT),
        form=DecisionForm,
        on_page=True,
    ),
    Transition(
        "decline",
        "Mark as declined",
        calling(decline_estimate, "estimate", "name", "note"),
        "{record} is declined.",
        offered=is_in(Status.DRAFT, Status.SENT),
        form=DecisionForm,
        on_page=True,
    ),
    Transition(
        "reopen",
        "Edit again",
        calling(reopen_estimate, "estimate"),
        "{record} is a draft again.",
        offered=is_in(Status.SENT, Status.DECLINED),
        confirm="It becomes a draft, which the client can't see until you send it again.",
    ),
    DUPLICATE,
)

SEND_DRAFTS = Bulk(
    "send",
    "Send drafts",
    "sent",
    "Drafts are issued and emailed to their clients. Others stay as they are.",
    each=send_draft,
    phrase="Send the drafts among {}",
)
REMIND = Bulk(
    "remind",
    "Send reminder",
    "reminded of",
    "The clients of outstanding ones get an email with the invoice attached. Others stay as they are.",
    each=calling(send_reminder, "invoice", kind=BY_HAND),
    phrase="Send reminders of {}",
)
