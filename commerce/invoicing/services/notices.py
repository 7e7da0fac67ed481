"""Emails about invoices and estimates, and their entries in the timelines of contacts."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from cms_api.core.module import Block
from cms_api.flags.selectors import get_setting, site_formats
from cms_api.mail.services import queue, queue_to_business
from cms_api.mail.types import is_address
from commerce.common.selectors import format_money
from commerce.common.services.documents import attach
from commerce.common.types import split_name
from commerce.common.types.money import Money
from commerce.crm.services import record_activity, record_customer
from commerce.crm.types import ActivityKind, NewActivity
from commerce.payments.selectors import payment_refusal

from ..models import CreditNote, Invoice
from ..resources.documents import receipt
from ..resources.mails import due_sentence, message_block
from ..resources.words import is_past
from ..selectors.invoices import INVOICE_LINK, admin_url, today
from .clients import SOURCE
from .pdfs import attach_invoice, attach_stored


def record_issued(invoice: Invoice) -> None:
    """Create or fill in the client's contact while the CRM is on, and record the document in its timeline."""
    activity = _activity(invoice, f"{invoice.get_kind_display()} {invoice.number} issued ({format_money(invoice.total)})")
    client = invoice.client
    record_customer(email=invoice.email, name=client.contact_name, company=invoice.client_name, source=SOURCE, activity=activity)


def record(invoice: Invoice, event: str) -> None:
    """Record what happened to an invoice or estimate: `Invoice INV-1001 paid`."""
    record_activity(
        email=invoice.email, activity=_activity(invoice, f"{invoice.get_kind_display()} {invoice.number or 'draft'} {event}")
    )


def _activity(invoice: Invoice, summary: str) -> NewActivity:
    return NewActivity(ActivityKind.INVOICE, summary, link=admin_url(invoice))


def send_document(invoice: Invoice, *, to: str, message: str) -> None:
    """Email an invoice or estimate with its document."""
    template = "invoice_sent" if invoice.is_invoice else "estimate_sent"
    _send(template, invoice, {"message": message_block(message)}, to=to, attachments=[attach_invoice(invoice)])


def send_receipt(invoice: Invoice, payment: Any) -> None:
    """Email the receipt of a payment, unless receipts are off."""
    if get_setting("invoicing.receipts"):
        pdf = attach(f"{invoice.number}-receipt", receipt(invoice, payment))
        _send("invoice_receipt", invoice, {"amount": format_money(payment.amount)}, attachments=[pdf])


def send_reminder(invoice: Invoice) -> None:
    """Remind the client of an invoice, with its document; the text depends on whether it is overdue."""
    template = "invoice_overdue" if is_past(invoice, today()) else "invoice_reminder"
    _send(template, invoice, {}, attachments=[attach_invoice(invoice)])


def send_refunded(invoice: Invoice, amount: Money) -> None:
    _send("invoice_refunded", invoice, {"amount": format_money(amount)})


def send_credit_note(note: CreditNote) -> None:
    """Email a credit note with its document."""
    context = {"credit_note": note.number, "amount": format_money(note.total), "reason": note.reason}
    _send("credit_note", note.invoice, context, attachments=[attach_stored(note.number, note.pdf)])


def notify_decided(estimate: Invoice) -> None:
    """Email the business about the answer of a client to an estimate; an answer goes to the client."""
    context = {
        "number": estimate.number,
        "client": estimate.client_name,
        "decision": estimate.get_status_display().lower(),
        "name": estimate.decided_by,
        "note": message_block(estimate.decision_note),
        "total": format_money(estimate.total),
        "admin_url": settings.BASE_URL + admin_url(estimate),
    }
    queue_to_business(template="estimate_decided", context=context, reply_to=estimate.email)


def _send(template: str, invoice: Invoice, context: Mapping[str, str | Block | None], *, to: str = "", **more: Any) -> None:
    common = {
        "name": split_name(invoice.client.contact_name)[0] or invoice.client_name,
        "number": str(invoice),
        "total": format_money(invoice.total),
        "balance": format_money(invoice.balance),
        "due_date": site_formats().date(invoice.due_date) if invoice.due_date else "",
        "due": due_sentence(invoice, today(), can_pay=not payment_refusal(invoice.balance)),
        "invoice_url": INVOICE_LINK.url(invoice),
    }
    reply_to = settings.BUSINESS_EMAIL if is_address(settings.BUSINESS_EMAIL) else ""
    queue(template=template, to=[to or invoice.email], context={**common, **context}, reply_to=reply_to, **more)
