"""Invoices and estimates: their kinds, statuses and numbers."""

from django.db.models import TextChoices

#: The name of invoices among what is paid for; payments store it.
PAYABLE = "invoice"
FIRST_NUMBER = 1001

MAX_CLIENT = 200
MAX_TAX_ID = 50
MAX_DESCRIPTION = 500
MAX_REFERENCE = 100
MAX_TEXT = 4000
MAX_REASON = 500


class Kind(TextChoices):
    INVOICE = "invoice", "Invoice"
    ESTIMATE = "estimate", "Estimate"


class Status(TextChoices):
    DRAFT = "draft"
    SENT = "sent"
    PAID = "paid"
    VOID = "void"
    ACCEPTED = "accepted"
    DECLINED = "declined"


#: The statuses of each kind.
STATUSES = {
    Kind.INVOICE: (Status.DRAFT, Status.SENT, Status.PAID, Status.VOID),
    Kind.ESTIMATE: (Status.DRAFT, Status.SENT, Status.ACCEPTED, Status.DECLINED),
}

#: Derived when an invoice is read: some of it is paid; it is due and the day has passed.
PARTIAL, OVERDUE = "partial", "overdue"
#: A filter of lists: sent, with a balance.
OUTSTANDING = "outstanding"

#: The series of the numbers.
SERIES = {Kind.INVOICE: "INV", Kind.ESTIMATE: "EST"}
CREDIT_NOTES = "CN"


def document_number(series: str, sequence: int) -> str:
    return f"{series}-{sequence:04d}"
