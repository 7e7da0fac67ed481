"""Credit notes."""

from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, required
from cms_api.fields.base import FieldPath, read_line
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import request_refund

from ..models import CreditNote, Invoice
from ..selectors.invoices import today, unrefunded_cents
from ..types.credits import credit, left
from ..types.invoices import CREDIT_NOTES, MAX_REASON, PAYABLE, Status
from . import notices
from .balances import settle_balance
from .issuing import locked_again
from .numbers import take_number
from .pdfs import store_credit_pdf


@transaction.atomic
def credit_invoice(
    *,
    invoice: Invoice,
    amount_cents: int | None = None,
    reason: str,
    refund: bool = True,
    send_email: bool = True,
    user: Any = None,
) -> CreditNote:
    """Correct an issued invoice by an amount with tax, by default all that is left of it, and email the credit note.

    It lowers the balance; `refund` gives back what the client has paid beyond that. Raises Invalid: `status` unless it is an
    invoice that was issued, `amount_cents` if more is credited than is left, `reason`.
    """
    locked = locked_again(invoice)
    if not locked.is_invoice or locked.status not in {Status.SENT, Status.PAID}:
        raise Invalid({"status": "Only issued invoices can be credited."})
    why = read_line(reason, FieldPath("reason", "reason"), MAX_REASON)
    if not why:
        raise Invalid({"reason": required("reason")})
    most = locked.total_cents - locked.credited_cents
    amount = most if amount_cents is None else amount_cents
    if not 0 < amount <= most:
        rest = format_money(Money(most, locked.currency))
        raise Invalid({"amount_cents": f"Enter an amount of at most {rest}." if most else "Nothing is left to credit."})
    note = _create(locked, amount, why, user)
    locked.credited_cents += amount
    settle_balance(locked)
    store_credit_pdf(note)
    log(instance=locked, action="invoicing.credit", user=user, data={"number": note.number, "amount": format_money(note.total)})
    notices.record(locked, f"credited by {format_money(note.total)}")
    if send_email:
        notices.send_credit_note(note)
    owed = min(unrefunded_cents(locked), refundable_cents(PAYABLE, locked.pk))
    if refund and owed:
        request_refund(payable=PAYABLE, record_id=locked.pk, amount_cents=owed, reason=why, user=user)
    return note


def _create(invoice: Invoice, amount: int, reason: str, user: Any) -> CreditNote:
    rest = left(invoice.parts, [note.taken for note in invoice.credit_notes.all()])
    parts = credit(rest, amount)
    return CreditNote.objects.create(
        number=take_number(CREDIT_NOTES),
        invoice=invoice,
        reason=reason,
        total_cents=amount,
        tax_cents=sum(part.tax_cents for part in parts),
        parts=[asdict(part) for part in parts],
        issue_date=today(),
        created_by=user,
        created_at=timezone.now(),
    )
