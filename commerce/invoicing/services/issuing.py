"""Issues invoices and estimates, emails them, and makes them void."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row
from cms_api.fields.base import FieldPath, read_text
from cms_api.mail.types import check_mailable
from commerce.common.services.documents import business
from commerce.common.types import read_email
from commerce.payments.selectors import unsettled_payments
from commerce.payments.services import close_payments, close_payments_later

from ..models import Invoice, Notice
from ..types.invoices import MAX_REASON, MAX_TEXT, PAYABLE, Status
from . import notices
from .balances import settle_balance
from .numbers import give_number
from .pdfs import store_pdf
from .writing import copy_client, set_dates

#: Statuses in which a document can be sent to a client, again or for the first time.
SENDABLE = (Status.DRAFT, Status.SENT, Status.PAID, Status.ACCEPTED)
#: The kind of a reminder that staff send.
BY_HAND = "by_hand"


def lock_invoice(pk: int) -> Invoice | None:
    """Return an invoice or estimate, locked."""
    return Invoice.objects.select_for_update(of=("self",)).select_related("client").filter(pk=pk).first()


def locked_again(invoice: Invoice) -> Invoice:
    """Return an invoice that exists, locked and as it is now."""
    return get_row(Invoice.objects.select_for_update(of=("self",)).select_related("client"), invoice.pk)


@transaction.atomic
def issue_invoice(*, invoice: Invoice, user: Any = None) -> bool:
    """Issue a draft without sending it: from now on it never changes. Return False if it has been issued already.

    Raises Invalid (`status`) if it is void.
    """
    locked = locked_again(invoice)
    if locked.status == Status.VOID:
        raise Invalid({"status": "This invoice is void."})
    return locked.is_draft and bool(issue(locked, user))


def issue(invoice: Invoice, user: Any) -> Invoice:
    """Issue a draft that the caller has locked: number, dates and addresses are settled, and the document is stored."""
    now = timezone.now()
    set_dates(invoice)
    copy_client(invoice)
    invoice.seller = business()
    invoice.status, invoice.sent_at, invoice.updated_at = Status.SENT, now, now
    give_number(invoice)
    invoice.save()
    get_search_backend().add(invoice)
    if invoice.is_invoice:
        store_pdf(invoice)
    log(instance=invoice, action="invoicing.issue", user=user)
    notices.record_issued(invoice)
    settle_balance(invoice)
    return invoice


@transaction.atomic
def send_invoice(*, invoice: Invoice, email: str = "", message: str = "", user: Any = None) -> Invoice:
    """Email an invoice or estimate to its client, with its document and the link to its page; a draft is issued first.

    `email` is another address for this time. Raises Invalid (`email`, `message`, and `status` if it is void or declined).
    """
    locked = locked_again(invoice)
    if locked.status not in SENDABLE:
        raise Invalid({"status": f"A {locked.get_status_display().lower()} {locked.kind} can't be sent."})
    to = read_email(email) if email.strip() else ""
    text = read_text(message, FieldPath("message", "message"), MAX_TEXT) or ""
    check_mailable(to or locked.email)
    if locked.is_draft:
        issue(locked, user)
    notices.send_document(locked, to=to or locked.email, message=text)
    log(instance=locked, action="invoicing.send", user=user, data={"email": to or locked.email})
    return locked


def void_invoice(*, invoice: Invoice, reason: str = "", user: Any = None) -> bool:
    """Make a draft, an unpaid invoice or one that costs nothing void; its number stays. Return False if it is void already.

    Raises Invalid: `status` if any of it is paid or credited, or a payment is on its way; `reason`. Must not be called in a
    transaction: its payment page is closed at the provider first.
    """
    if invoice.is_outstanding and not close_payments(payable=PAYABLE, record_id=invoice.pk):
        raise Invalid({"status": "This invoice has just been paid, or its payment is on its way."})
    return _void(invoice, reason, user)


@transaction.atomic
def _void(invoice: Invoice, reason: str, user: Any) -> bool:
    locked = locked_again(invoice)
    if locked.status == Status.VOID:
        return False
    if not locked.is_invoice:
        raise Invalid({"status": "An estimate is declined instead."})
    if (
        (locked.status == Status.PAID and locked.total_cents)
        or locked.amount_paid_cents
        or locked.credited_cents
        or locked.is_processing
    ):
        raise Invalid({"status": "An invoice with payments or credit notes can't be voided. Create a credit note instead."})
    note = read_text(reason, FieldPath("reason", "reason"), MAX_REASON) or ""
    give_number(locked)
    now = timezone.now()
    locked.status, locked.decided_at, locked.decision_note, locked.updated_at = Status.VOID, now, note, now
    was_sent = locked.sent_at is not None
    settle_balance(locked)
    close_payments_later(payable=PAYABLE, record_id=locked.pk)
    log(instance=locked, action="invoicing.void", user=user, data={"reason": note})
    if was_sent:
        notices.record(locked, "voided")
    return True


@transaction.atomic
def send_reminder(*, invoice: Invoice, kind: str, user: Any = None) -> bool:
    """Remind a client of an invoice, once for each kind; return False if that was done already, or nothing is outstanding.

    Kinds: see `models.Notice`; `by_hand` is not counted.
    """
    locked = locked_again(invoice)
    if not locked.is_outstanding or locked.is_processing:
        return False
    if kind != BY_HAND and unsettled_payments(PAYABLE, locked.pk).exists():
        # Staff decide first what becomes of money that could not be applied.
        return False
    if kind != BY_HAND and not Notice.objects.get_or_create(invoice=locked, kind=kind, defaults={"sent_at": timezone.now()})[1]:
        return False
    notices.send_reminder(locked)
    log(instance=locked, action="invoicing.remind", user=user)
    return True
