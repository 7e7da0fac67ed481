"""The one way in which attempts end: webhook, return page and sweep fetch the state and apply it, also at the same moment."""

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.core import registry
from cms_api.core.errors import Invalid
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from .. import selectors
from ..models import Payment, SavedMethod
from ..types import LIVE, MAX_LABEL, MAX_REASON, Outcome, PaymentStatus, ProviderError, ProviderRefused, StoredMethod
from .providers import Provider, find_provider

GONE = "The record no longer exists."
NOT_USED = "The record was cancelled, changed or paid in the meantime."

_ENDED = (PaymentStatus.FAILED, PaymentStatus.EXPIRED)


def provider_of(payment: Payment) -> Provider:
    """Raises ProviderError if the provider is not installed."""
    found = find_provider(payment.provider)
    if found is None:
        raise ProviderError(f"The provider {payment.provider!r} is not installed.")
    return found


def settle(*, payment_id: int) -> Payment:
    """Fetch the state of an attempt at its provider and apply it; return the attempt as it is then.

    It can be repeated at any time. Must not be called in a transaction. Raises ProviderError if the provider cannot be asked.
    """
    payment = Payment.objects.select_related("saved_method").get(pk=payment_id)
    if payment.is_charge and payment.status == PaymentStatus.STARTED:
        return charge(payment)
    if not payment.provider or payment.reference is None or payment.status == PaymentStatus.SUCCEEDED:
        return payment
    try:
        outcome = provider_of(payment).fetch(payment)
    except ProviderRefused as refusal:
        if payment.expires_at is None or payment.expires_at > timezone.now():
            raise ProviderError(str(refusal)) from refusal
        outcome = Outcome(PaymentStatus.EXPIRED, error=str(refusal))
    return apply_outcome(payment_id, outcome)


def charge(payment: Payment) -> Payment:
    """Charge the saved method of an attempt and apply the outcome; return the attempt as it is then.

    It can be repeated: the provider charges the same attempt once. Must not be called in a transaction. Raises ProviderError if
    the outcome is not known.
    """
    try:
        outcome = provider_of(payment).charge(payment)
    except ProviderRefused as refusal:
        outcome = Outcome(PaymentStatus.FAILED, error=str(refusal))
    return apply_outcome(payment.pk, outcome)


@transaction.atomic(durable=True)
def apply_outcome(payment_id: int, outcome: Outcome, *, to: Collection[str] = PaymentStatus.values) -> Payment:
    """Apply the state of an attempt, once and under the locks of its record and itself, if it is in one of the states `to`.

    An attempt that has succeeded never changes again; one that has failed or expired may still succeed.
    """
    payment = Payment.objects.get(pk=payment_id)
    payable: Any = registry.payables().get(payment.payable)
    record = payable.lock(payment.record_id) if payable else None
    payment = Payment.objects.select_for_update(of=("self",), no_key=True).get(pk=payment_id)
    payment.checked_at = timezone.now()
    if payment.status == PaymentStatus.SUCCEEDED or payment.status not in to:
        pass
    elif outcome.status == PaymentStatus.SUCCEEDED:
        _succeed(payment, outcome, payable, record)
    elif outcome.status == PaymentStatus.PROCESSING and payment.status in {PaymentStatus.STARTED, PaymentStatus.OPEN}:
        _move(payment, outcome)
        if record is not None:
            payable.processing(record, payment)
    elif outcome.status in _ENDED and payment.status in LIVE:
        _move(payment, outcome)
        if record is not None:
            payable.failed(record, payment)
    payment.save(update_fields=["checked_at"])
    return payment


def _move(payment: Payment, outcome: Outcome) -> None:
    payment.status, payment.error, payment.updated_at = outcome.status, outcome.error[:MAX_REASON], timezone.now()
    payment.charge = outcome.charge or payment.charge
    if payment.is_charge:
        payment.reference = payment.charge or None
    elif outcome.method:
        payment.saved_method = save_method(payment.provider, outcome.method)
    payment.save(update_fields=["status", "error", "charge", "reference", "saved_method", "updated_at"])


def save_method(provider: str, method: StoredMethod) -> SavedMethod:
    """Return a method that a customer has stored at a provider, which is stored here once."""
    about = {"customer": method.customer, "label": method.label[:MAX_LABEL], "created_at": timezone.now()}
    return SavedMethod.objects.get_or_create(provider=provider, reference=method.reference, defaults=about)[0]


def _succeed(payment: Payment, outcome: Outcome, payable: Any, record: Any) -> None:
    was_on_its_way = payment.status == PaymentStatus.PROCESSING
    due, paid = payment.amount, outcome.amount or payment.amount
    payment.amount_cents, payment.currency, payment.paid_at = paid.cents, paid.currency, timezone.now()
    payment.save(update_fields=["amount_cents", "currency", "paid_at"])
    _move(payment, outcome)
    payment.unapplied = _mismatch(due, paid) or offer(payable, record, payment)
    payment.save(update_fields=["unapplied"])
    if payment.unapplied and was_on_its_way and (record := payable and payable.lock(payment.record_id)):
        # As it was before it refused the money.
        payable.failed(record, payment)
    if selectors.live_payment(payment.payable, payment.record_id):
        transaction.on_commit(lambda: _close_others(payment), robust=True)


def _mismatch(due: Money, paid: Money) -> str:
    return "" if due == paid else f"{format_money(paid)} arrived, but {format_money(due)} was asked for."


def _close_others(payment: Payment) -> None:
    """Close the payment page that the customer no longer needs."""
    from .starting import close_payments

    close_payments(payable=payment.payable, record_id=payment.record_id)


def offer(payable: Any, record: Any, payment: Payment) -> str:
    """Offer money to the record that it was paid for; return why it was not applied, empty if it was."""
    if record is None:
        return GONE
    try:
        with transaction.atomic():
            return "" if payable.paid(record, payment) else NOT_USED
    except Invalid as refusal:
        return refusal.message[:MAX_REASON]
