"""Fetches the state of attempts from their providers, and applies it."""

import logging
from contextlib import suppress

from django.db import transaction
from django.utils import timezone

from cms_api.core.errors import Invalid

from .. import selectors
from ..models import Payment
from ..types import Outcome, PaymentStatus, ProviderDisagrees, ProviderError, ProviderRefused
from .outcomes import apply_outcome
from .providers import Provider, find_provider

logger = logging.getLogger(__name__)

UNCONFIRMED = "The payment provider could not be asked about it."


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
    payable = selectors.payable_of(payment)
    with suppress(Invalid), transaction.atomic(durable=True):
        record = payable.lock(payment.record_id) if payable is not None else None
        if payable is not None and record is not None:
            due = payable.due(record)
            current = Payment.objects.get(pk=payment.pk)
            is_open = current.status == PaymentStatus.STARTED and current.expires_at is None
            return is_open and (current.amount, current.purpose) == (due.amount, due.purpose)
    return False
