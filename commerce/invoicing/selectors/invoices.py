"""Reads of invoices and estimates."""

from datetime import date, datetime, time
from typing import Any

from django.db.models import F, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from cms_api.accounts.selectors import confirmed_address
from cms_api.core.records import filter_given
from cms_api.flags.selectors import site_timezone
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching
from commerce.common.selectors import find_numbered
from commerce.common.types import email_key
from commerce.payments.selectors import refunded_cents
from commerce.payments.types import RefundStatus

from ..models import Invoice
from ..models.invoices import IS_OUTSTANDING
from ..types.invoices import OUTSTANDING, OVERDUE, PARTIAL, PAYABLE, Status

#: The link to the page of an invoice or estimate, which clients get by email.
INVOICE_LINK = SignedLink("invoicing.invoice", Invoice, view="invoicing_invoice")

#: The derived statuses that lists can be filtered by.
DERIVED = (OUTSTANDING, OVERDUE, PARTIAL)


#: Invoices that a payment may be moved to.
MAX_ALTERNATIVES = 100


def today() -> date:
    """Return the day in the site's timezone."""
    return timezone.localdate(timezone=site_timezone())


def start_of(day: date) -> datetime:
    """Return the moment at which a day begins in the site's timezone."""
    return datetime.combine(day, time(), tzinfo=site_timezone())


def invoices(
    *,
    status: str | None = None,
    kind: str | None = None,
    client_id: int | None = None,
    email: str | None = None,
    since: datetime | None = None,
    search: str = "",
) -> QuerySet[Invoice]:
    """Return invoices and estimates; `status` may be `outstanding`, `overdue` or `partial`.

    `since` is when they were created at the earliest.
    """
    found = Invoice.objects.all()
    if status:
        found = of_status(found, status)
    found = filter_given(
        found, kind=kind or None, client=client_id, email=None if email is None else email_key(email), created_at__gte=since
    )
    return matching(found, search) if search.strip() else found


def of_status(found: QuerySet[Invoice], status: str) -> QuerySet[Invoice]:
    """Return what has a status, also a derived one, today."""
    if status == OUTSTANDING:
        return found.filter(IS_OUTSTANDING)
    if status == OVERDUE:
        return found.filter(IS_OUTSTANDING, due_date__lt=today())
    if status == PARTIAL:
        begun = Q(balance_due_cents__lt=F("total_cents"))
        return found.filter(IS_OUTSTANDING, begun).exclude(due_date__lt=today())
    return found.filter(status=status)


def find_invoice(reference: str) -> Invoice | None:
    """Return the invoice or estimate with an id, or with a number in any case."""
    found: Invoice | None = find_numbered(invoices(), reference)
    return found


def issued_invoices() -> QuerySet[Invoice]:
    """Return what clients may see: neither drafts nor what was made void before it was issued."""
    return invoices().exclude(status=Status.DRAFT).filter(sent_at__isnull=False)


def invoices_of(user: Any) -> QuerySet[Invoice]:
    """Return what was issued to the confirmed address of an account."""
    address = confirmed_address(user)
    return issued_invoices().filter(email=email_key(address)) if address else Invoice.objects.none()


def admin_url(invoice: Invoice) -> str:
    """Return the path of its page in the admin."""
    return reverse("invoices:inspect" if invoice.is_invoice else "estimates:inspect", args=[invoice.pk])


def payable_with(payment: Any) -> QuerySet[Invoice]:
    """Return the other invoices of a payment's client with at least its amount to pay, at most `MAX_ALTERNATIVES`."""
    client = invoices().filter(pk=payment.record_id).values("client")
    found = invoices(status=OUTSTANDING).filter(client__in=client, currency=payment.currency).exclude(pk=payment.record_id)
    return found.filter(balance_due_cents__gte=payment.amount_cents).order_by("due_date", "pk")[:MAX_ALTERNATIVES]


def unrefunded_cents(invoice: Invoice) -> int:
    """Return how much the business owes its client after credit notes, beyond the refunds that are on their way."""
    return max(0, invoice.owed_cents - refunded_cents(PAYABLE, invoice.pk, status=RefundStatus.PENDING))
