"""The statement of account of a client."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.utils import timezone

from cms_api.flags.selectors import site_formats, site_timezone
from commerce.payments.selectors import applied_payments, refunds_of
from commerce.payments.types import RefundStatus

from ..models import Client, CreditNote, Invoice
from ..types.invoices import PAYABLE, Kind, Status
from ..types.statements import Account, Movement, accounts

_AMOUNTS = ("total_cents", "credited_cents", "amount_paid_cents", "balance_due_cents")


@dataclass(frozen=True, slots=True)
class Statement:
    """The bills and payments of a client from `first` to `last`: an account for each currency, none without movements."""

    client: Client
    first: date
    last: date
    accounts: tuple[Account, ...]


def statement(client: Client, first: date, last: date) -> Statement:
    """Return the statement of a client over days of the site's timezone. Runs four queries.

    Drafts, estimates and void invoices are left out. Payments and refunds count on the day that the money moved. If a credit note
    left what cannot be paid, the rounding of the balance counts on the day of the invoice's last movement.
    """
    return Statement(client, first, last, accounts(_movements(client), first, last))


def _movements(client: Client) -> Iterator[Movement]:
    found = Invoice.objects.filter(client=client, kind=Kind.INVOICE, status__in=(Status.SENT, Status.PAID))
    issued = found.only("number", "currency", "issue_date", "due_date", *_AMOUNTS).in_bulk()
    days = {pk: invoice.issue_date for pk, invoice in issued.items()}
    for pk, movement in _bills_and_payments(issued):
        days[pk] = max(days[pk], movement.day)
        yield movement
    for pk, invoice in issued.items():
        if invoice.rounding_cents:
            yield Movement(invoice.currency, days[pk], 4, pk, f"Rounding of invoice {invoice.number}", invoice.rounding_cents)


def _bills_and_payments(issued: Mapping[int, Invoice]) -> Iterator[tuple[int, Movement]]:
    """Yield what was billed, credited, paid and refunded, each with the id of its invoice."""
    for invoice in issued.values():
        due = f", due {site_formats().date(invoice.due_date)}" if invoice.due_date else ""
        description = f"Invoice {invoice.number}{due}"
        yield invoice.pk, Movement(invoice.currency, invoice.issue_date, 0, invoice.pk, description, invoice.total_cents)
    for note in CreditNote.objects.filter(invoice__in=list(issued)):
        invoice = issued[note.invoice_id]
        description = f"Credit note {note.number} for invoice {invoice.number}"
        yield invoice.pk, Movement(invoice.currency, note.issue_date, 1, note.pk, description, -note.total_cents)
    for payment in applied_payments(PAYABLE, *issued):
        method = ", ".join(filter(None, [payment.get_method_display().lower(), payment.typed_reference]))
        description = f"Payment of invoice {issued[payment.record_id].number}, {method}"
        arrived = Movement(payment.currency, _day(payment.paid_at), 2, payment.pk, description, -payment.amount_cents)
        yield payment.record_id, arrived
    for refund in refunds_of(PAYABLE, *issued).filter(status=RefundStatus.SUCCEEDED, payment__unapplied=""):
        payment = refund.payment
        description = f"Refund for invoice {issued[payment.record_id].number}"
        returned = Movement(payment.currency, _day(refund.updated_at), 3, refund.pk, description, refund.amount_cents)
        yield payment.record_id, returned


def _day(moment: datetime | None) -> date:
    assert moment is not None
    return timezone.localtime(moment, site_timezone()).date()
