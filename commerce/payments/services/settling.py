"""The one way in which attempts end: webhook, return page and sweep fetch the state and apply it, also at the same moment."""

import logging
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.mail.services import unconfirmed
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from .. import selectors
from ..models import Payment, SavedMethod
from ..types import (
    LIVE,
    MAX_LABEL,
    MAX_REASON,
    MOVES,
    Outcome,
    PaymentStatus,
    ProviderDisagrees,
    ProviderError,
    ProviderRefused,
    StoredMethod,
)
from .providers import Provider, find_provider

logger = logging.getLogger(__name__)

GONE = "The record no longer exists."
NOT_USED = "The record was cancelled, changed or paid in the meantime."

UNCONFIRMED = "The payment provider could not be asked about it."
#: The columns that a part which is split off a payment shares with it.
_SHARED = (
    *("payable", "record_id", "description", "email", "provider", "charge", "currency", "status", "method", "paid_at"),
    *("typed_reference", "note", "recorded_by", "dispute", "created_at", "updated_at"),
)


def provider_of(payment: Payment) -> Provider:
    """Raises ProviderError if the provider is not installed."""
    found = find_provider(payment.provider)
    if found is None:
        raise ProviderError(f"The provider {payment.provider!r} is not installed.")
    return found


def settle(*, payment_id: int) -> Payment:
    """Fetch the state of an attempt at its provider and apply it; return the attempt as it is then.

    It can be repeated at any time. Must not be called in a transaction. Raises ProviderError if the provider cannot be asked; an
    attempt whose time is over ends all the same, and is checked again once the provider answers.
    """
    payment = Payment.objects.select_related("saved_method").get(pk=payment_id)
    try:
        return _settle(payment)
    except ProviderError as problem:
        if not payment.has_lapsed:
            raise
        logger.warning("The payment %s ends without its provider: %s", payment_id, problem)
        # Without a reference, the provider cannot be asked later about a payment page.
        is_confirmed = payment.reference is None and not payment.is_charge
        return apply_outcome(payment_id, Outcome(PaymentStatus.EXPIRED, error=UNCONFIRMED), is_confirmed=is_confirmed)


def _settle(payment: Payment) -> Payment:
    if payment.is_charge and payment.reference is None:
        return _settle_charge(payment)
    if not payment.provider or payment.reference is None or payment.status == PaymentStatus.SUCCEEDED:
        return payment
    try:
        outcome = provider_of(payment).fetch(payment)
    except ProviderRefused as refusal:
        if payment.expires_at is None or payment.expires_at > timezone.now():
            raise ProviderDisagrees(str(refusal)) from refusal
        outcome = Outcome(PaymentStatus.EXPIRED, error=str(refusal))
    return apply_outcome(payment.pk, outcome)


def _settle_charge(payment: Payment) -> Payment:
    """Charge the saved method of an attempt that its record still wants; look for the charge of any other, and send nothing.

    It can be repeated: the provider charges the same attempt once. Raises ProviderError if the outcome is not known.
    """
    provider, is_confirmed = provider_of(payment), True
    try:
        if _is_wanted(payment):
            outcome = provider.charge(payment)
        else:
            found = provider.find_charge(payment)
            outcome = found or Outcome(PaymentStatus.EXPIRED)
            # A request that was sent a moment ago may arrive yet: it is looked for once more.
            is_confirmed = found is not None or payment.status != PaymentStatus.STARTED
    except ProviderRefused as refusal:
        outcome = Outcome(PaymentStatus.FAILED, error=str(refusal))
    return apply_outcome(payment.pk, outcome, is_confirmed=is_confirmed)


def _is_wanted(payment: Payment) -> bool:
    """Return whether a charge may be sent: nobody has closed it, and its record still costs the same."""
    payable: Any = registry.payables().get(payment.payable)
    with suppress(Invalid), transaction.atomic(durable=True):
        record = payable.lock(payment.record_id) if payable else None
        if record is not None:
            due = payable.due(record)
            current = Payment.objects.get(pk=payment.pk)
            is_open = current.status == PaymentStatus.STARTED and current.expires_at is None
            return is_open and (current.amount, current.purpose) == (due.amount, due.purpose)
    return False


@transaction.atomic(durable=True)
def apply_outcome(
    payment_id: int, outcome: Outcome, *, to: Collection[str] = PaymentStatus.values, is_confirmed: bool = True
) -> Payment:
    """Apply the state of an attempt, once and under the locks of its record and itself, if it is in one of the states `to`.

    `MOVES` says what changes. `is_confirmed` is whether the provider, or nobody but us, has said so.
    """
    payment = Payment.objects.get(pk=payment_id)
    payable: Any = registry.payables().get(payment.payable)
    record = payable.lock(payment.record_id) if payable else None
    payment = Payment.objects.select_for_update(of=("self",), no_key=True).get(pk=payment_id)
    payment.checked_at = timezone.now()
    is_news = payment.status in to and payment.status in MOVES.get(outcome.status, ())
    if is_news or (is_confirmed and outcome.status not in LIVE):
        payment.is_unconfirmed = not is_confirmed
    if is_news and outcome.status == PaymentStatus.SUCCEEDED:
        _succeed(payment, outcome, payable, record)
    elif is_news:
        _move(payment, outcome)
        if record is not None:
            note = payable.record_processing if outcome.status == PaymentStatus.PROCESSING else payable.record_failure
            note(record, payment)
    payment.save(update_fields=["checked_at", "is_unconfirmed"])
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
        payable.record_failure(record, payment)
    if selectors.live_payment(payment.payable, payment.record_id):
        transaction.on_commit(lambda: _close_others(payment), robust=True)
    if selectors.waiting_messages(payment).exists():
        transaction.on_commit(lambda: _handle_messages(payment), robust=True)


def _mismatch(due: Money, paid: Money) -> str:
    return "" if due == paid else f"{format_money(paid)} arrived, but {format_money(due)} was asked for."


def _close_others(payment: Payment) -> None:
    """Close the payment page that the customer no longer needs."""
    from .starting import close_payments

    close_payments(payable=payment.payable, record_id=payment.record_id)


def _handle_messages(payment: Payment) -> None:
    """Act on messages that arrived before it was known which payment they are about."""
    from .events import handle_waiting

    handle_waiting(payment)


def offer(payable: Any, record: Any, payment: Payment) -> str:
    """Offer money to the record that it was paid for; return why it was not applied, empty if it was.

    It is applied up to what is due; the rest becomes a payment of its own, which a person settles.
    """
    if record is None:
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
