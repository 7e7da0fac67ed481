"""The one way in which attempts end: webhook, return page and sweep apply what they have fetched, also at the same time."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid
from cms_api.flags.services import notify
from cms_api.mail.services import unconfirmed
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Payment, SavedMethod
from ..types import LIVE, MAX_LABEL, MAX_REASON, MOVES, Outcome, Payable, PaymentStatus, StoredMethod
from .locking import lock_with_record

GONE = "The record no longer exists."
NOT_USED = "The record was cancelled, changed or paid in the meantime."

#: The columns that a part which is split off a payment shares with it.
_SHARED = (
    *("payable", "record_id", "description", "email", "provider", "charge", "currency", "status", "method", "paid_at"),
    *("typed_reference", "note", "recorded_by", "dispute", "created_at", "updated_at"),
)


@transaction.atomic(durable=True)
def apply_outcome(
    payment_id: int, outcome: Outcome, *, to: Collection[str] = PaymentStatus.values, is_confirmed: bool = True
) -> Payment:
    """Apply the state of an attempt, once and under the locks of its record and itself, if it is in one of the states `to`.

    `MOVES` says what changes. `is_confirmed` is whether the provider, or nobody but us, has said so.
    """
    payment, payable, record = lock_with_record(Payment.objects.get(pk=payment_id))
    payment.checked_at = timezone.now()
    is_news = payment.status in to and payment.status in MOVES.get(outcome.status, ())
    if is_news or (is_confirmed and outcome.status not in LIVE):
        payment.is_unconfirmed = not is_confirmed
    if not is_news:
        payment.save(update_fields=["checked_at", "is_unconfirmed"])
        return payment
    was_on_its_way = payment.status == PaymentStatus.PROCESSING
    _move(payment, outcome)
    if outcome.status == PaymentStatus.SUCCEEDED:
        _succeed(payment, outcome, payable, record, was_on_its_way=was_on_its_way)
        return payment
    payment.save()
    if payable is not None and record is not None:
        note = payable.record_processing if outcome.status == PaymentStatus.PROCESSING else payable.record_failure
        note(record, payment)
    return payment


def _move(payment: Payment, outcome: Outcome) -> None:
    """Give an attempt the state that its provider has told; the caller saves it."""
    payment.status, payment.error, payment.updated_at = outcome.status, outcome.error[:MAX_REASON], timezone.now()
    payment.charge = outcome.charge or payment.charge
    if payment.is_charge:
        payment.reference = payment.charge or None
    elif outcome.method:
        payment.saved_method = save_method(payment.provider, outcome.method)


def save_method(provider: str, method: StoredMethod) -> SavedMethod:
    """Return a method that a customer has stored at a provider, which is stored here once."""
    about = {"customer": method.customer, "label": method.label[:MAX_LABEL], "created_at": timezone.now()}
    return SavedMethod.objects.get_or_create(provider=provider, reference=method.reference, defaults=about)[0]


def _succeed(payment: Payment, outcome: Outcome, payable: Payable | None, record: Any, *, was_on_its_way: bool) -> None:
    due, paid = payment.amount, outcome.amount or payment.amount
    payment.amount_cents, payment.currency, payment.paid_at = paid.cents, paid.currency, timezone.now()
    payment.unapplied = _mismatch(due, paid)
    # A record may add up its payments.
    payment.save()
    if not payment.unapplied and (refusal := offer(payable, record, payment)):
        payment.unapplied = refusal
        payment.save(update_fields=["unapplied"])
    if payment.unapplied and was_on_its_way and payable is not None:
        # As it was before it refused the money.
        record = payable.lock(payment.record_id)
        if record is not None:
            payable.record_failure(record, payment)
    notify("payments.paid", payment)


def _mismatch(due: Money, paid: Money) -> str:
    return "" if due == paid else f"{format_money(paid)} arrived, but {format_money(due)} was asked for."


def offer(payable: Payable | None, record: Any, payment: Payment) -> str:
    """Offer money to the record that it was paid for; return why it was not applied, empty if it was.

    It is applied up to what is due; the rest becomes a payment of its own, which a person settles.
    """
    if payable is None or record is None:
        return GONE
    arrived = payment.amount_cents
    try:
        with transaction.atomic(), unconfirmed.declare_paid():
            due = payable.amount_due(record)
            if due is None or not due.cents:
                raise Invalid({"status": NOT_USED})
            _split(payment, due)
            if not payable.apply_payment(record, payment):
                raise Invalid({"status": _why_not(payment.amount, due)})
    except Invalid as refusal:
        payment.amount_cents = arrived
        return refusal.message[:MAX_REASON]
    return ""


def _split(payment: Payment, due: Money) -> None:
    """Leave as much of a payment as is due, and store the rest as a payment that waits to be settled."""
    arrived = payment.amount
    if arrived.currency != due.currency:
        raise Invalid(
            {"status": f"{format_money(arrived)} can't pay {format_money(due)}: it is another currency. Refund it instead."}
        )
    if arrived.cents <= due.cents:
        return
    shared = {name: getattr(payment, name) for name in _SHARED}
    why = f"{format_money(arrived)} arrived, and only {format_money(due)} was due."
    rest = Payment.objects.create(**shared, amount_cents=arrived.cents - due.cents, unapplied=why)
    get_search_backend().add(rest)
    payment.amount_cents = due.cents
    payment.save(update_fields=["amount_cents"])


def _why_not(arrived: Money, due: Money) -> str:
    if arrived.cents < due.cents:
        return f"{format_money(arrived)} arrived, and {format_money(due)} is due: it can't be paid in part."
    return NOT_USED
