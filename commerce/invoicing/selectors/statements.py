"""The statement of account of a client."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from django.utils import timezone

from cms_api.flags.selectors import site_formats, site_timezone
from commerce.payments.selectors import applied_payments, refunds_of
from commerce.payments.types import RefundStatus

from ..models import Client, CreditNote, Invoice
from ..types.invoices import PAYABLE, Kind, Status
from ..types.statements import Account, Movement, accounts


@dataclass(frozen=True, slots=True)
class Statement:
    """The bills and payments of a client from `first` to `last`: an account for each currency, none without movements."""

    client: Client
    first: date
    last: date
    accounts: tuple[Account, ...]


def statement(client: Client, first: date, last: date) -> Statement:
    """Return the statement of a client over days of the site's timezone. Runs four queries.

    Drafts, estimates and void invoices are left out. Payments and refunds count on the day that the money moved.
    """
    return Statement(client, first, last, accounts(_movements(client, last), first, last))


def _movements(client: Client, last: date) -> Iterator[Movement]:
    issued = Invoice.objects.filter(client=client, kind=Kind.INVOICE, status__in=(Status.SENT, Status.PAID))
    numbers, currencies = {}, {}
    for invoice in issued.only("number", "currency", "issue_date", "due_date", "total_cents"):
        numbers[invoice.pk], currencies[invoice.pk] = invoice.number, invoice.currency
        due = f", due {site_formats().date(invoice.due_date)}" if invoice.due_date else ""
        description = f"Invoice {invoice.number}{due}"
        yield Movement(invoice.currency, invoice.issue_date, 0, invoice.pk, description, invoice.total_cents)
    for note in CreditNote.objects.filter(invoice__in=list(numbers), issue_date__lte=last):
        description = f"Credit note {note.number} for invoice {numbers[note.invoice_id]}"
        yield Movement(currencies[note.invoice_id], note.issue_date, 1, note.pk, description, -note.total_cents)
    for payment in applied_payments(PAYABLE, *numbers):
        method = ", ".join(filter(None, [payment.get_method_display().lower(), payment.typed_reference]))
        description = f"Payment of invoice {numbers[payment.record_id]}, {method}"
        yield Movement(payment.currency, _day(payment.paid_at), 2, payment.pk, description, -payment.amount_cents)
    for refund in refunds_of(PAYABLE, *numbers).filter(status=RefundStatus.SUCCEEDED, payment__unapplied=""):
        description = f"Refund for invoice {numbers[refund.payment.record_id]}"
        yield Movement(refund.payment.currency, _day(refund.updated_at), 3, refund.pk, description, refund.amount_cents)


def _day(moment: datetime | None) -> date:
    assert moment is not None
    return timezone.localtime(moment, site_timezone()).date()
