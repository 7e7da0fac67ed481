"""The balance of an invoice, and the status that follows from it."""

from datetime import datetime

from django.utils import timezone

from cms_api.webhooks.services import emit
from commerce.common.types.money import balance_cents
from commerce.payments.selectors import kept_cents

from ..models import Invoice
from ..types.invoices import PAYABLE, Status
from . import notices


def settle_balance(invoice: Invoice, *, at: datetime | None = None) -> bool:
    """Calculate what is left to pay of a locked invoice, and store it with its status; return whether that made it paid.

    The rest is rounded to what can be paid online. Nothing is due of drafts of estimates, and of what is void. An invoice
    without a balance is paid, whether by money or by credit notes, at the moment `at` or now; one whose money has gone back is
    due again.
    """
    if not invoice.is_invoice or invoice.is_draft:
        invoice.save()
        return False
    invoice.amount_paid_cents = kept_cents(PAYABLE, invoice.pk)
    left = invoice.total_cents - invoice.credited_cents - invoice.amount_paid_cents
    was_paid = invoice.status == Status.PAID
    invoice.updated_at = timezone.now()
    if invoice.status == Status.VOID:
        invoice.balance_due_cents = 0
    else:
        # A credit note or cash may leave what cannot be paid online.
        invoice.balance_due_cents = balance_cents(left, invoice.currency)
        invoice.status = Status.SENT if invoice.balance_due_cents else Status.PAID
    becomes_paid = invoice.status == Status.PAID and not was_paid
    if becomes_paid:
        invoice.paid_at = at or timezone.now()
    elif invoice.status != Status.PAID:
        invoice.paid_at = None
    invoice.save()
    if becomes_paid:
        emit("invoice.paid", invoice)
        notices.record(invoice, "paid")
    return becomes_paid
