"""Money that a person records."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid, invalid_choice
from commerce.common.types.money import MAX_CENTS, Money

from .. import selectors
from ..models import Payment, Refund
from ..types import MAX_DESCRIPTION, MAX_REASON, MAX_REFERENCE, RECORDED, Method, PaymentStatus, RefundStatus
from .outcomes import GONE
from .starting import close_payments_later


def record_payment(
    *,
    payable: str,
    record_id: int,
    amount_cents: int,
    method: str,
    paid_at: datetime | None = None,
    reference: str = "",
    note: str = "",
    user: Any = None,
) -> Payment:
    """Record money that has arrived outside the site, such as cash, for a record that is due; the caller applies it.

    The amount is in minor units of what is due, and `paid_at` defaults to now. Must be called in the caller's transaction, after
    which the open payment page is closed. Raises Invalid by argument, and whatever `Payable.due` raises.
    """
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("Money is recorded in the transaction that applies it.")
    kind, now = selectors.payables()[payable], timezone.now()
    record = kind.lock(record_id)
    if record is None:
        raise Invalid({"payment": GONE})
    due = kind.due(record)
    _check(amount_cents, method, paid_at or now, reference, note)
    payment = store_payment(
        payable=payable,
        record_id=record_id,
        amount=Money(amount_cents, due.amount.currency),
        method=method,
        paid_at=paid_at or now,
        description=due.line,
        email=due.email,
        purpose=due.purpose,
        typed_reference=reference.strip(),
        note=note.strip(),
        recorded_by=user,
    )
    log(instance=payment, action="payments.record", user=user)
    close_payments_later(payable=payable, record_id=record_id)
    return payment


def store_payment(
    *, payable: str, record_id: int, amount: Money, method: str, paid_at: datetime, description: str, email: str, **more: Any
) -> Payment:
    """Store money that has been applied already, such as that of imported and of demo records. `more` are other columns."""
    now = timezone.now()
    payment = Payment.objects.create(
        payable=payable,
        record_id=record_id,
        description=description[:MAX_DESCRIPTION],
        email=email,
        amount_cents=amount.cents,
        currency=amount.currency,
        status=PaymentStatus.SUCCEEDED,
        method=Method(method),
        paid_at=paid_at,
        created_at=now,
        updated_at=now,
        **more,
    )
    get_search_backend().add(payment)
    return payment


def store_refund(*, payment: Payment, amount_cents: int, refunded_at: datetime, reason: str = "") -> Refund:
    """Store a refund of stored money that has been applied already, such as that of demo records."""
    refund = Refund.objects.create(
        payment=payment,
        amount_cents=amount_cents,
        status=RefundStatus.SUCCEEDED,
        reason=reason,
        created_at=refunded_at,
        updated_at=refunded_at,
    )
    Payment.objects.filter(pk=payment.pk).update(refunded_cents=F("refunded_cents") + amount_cents)
    return refund


def _check(amount_cents: int, method: str, paid_at: datetime, reference: str, note: str) -> None:
    errors: dict[str, str] = {}
    if not 0 < amount_cents <= MAX_CENTS:
        errors["amount_cents"] = "The amount must be more than nothing."
    if method not in RECORDED:
        errors["method"] = invalid_choice("method", RECORDED)
    if paid_at > timezone.now():
        errors["paid_at"] = "The date of the payment may not be in the future."
    for name, text, longest in (("reference", reference, MAX_REFERENCE), ("note", note, MAX_REASON)):
        if len(text) > longest or "\0" in text:
            errors[name] = f"The {name} may not be greater than {longest} characters."
    if errors:
        raise Invalid(errors)
