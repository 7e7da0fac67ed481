"""Refunds: requested in a transaction, sent to the provider after it, and taken up again until their outcome is known."""

import logging
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.http.external_keys import with_external_id
from commerce.common.selectors import format_money
from commerce.common.services.checks import steps_refusal
from commerce.common.types.money import MAX_CENTS, Money, is_payable

from .. import selectors
from ..models import Payment, Refund
from ..types import (
    MAX_REASON,
    REFUND_MOVES,
    Payable,
    ProviderDisagrees,
    ProviderError,
    ProviderRefused,
    RefundOutcome,
    RefundStatus,
)
from .locking import lock_with_record
from .settling import provider_of
from .starting import close_payments_later

logger = logging.getLogger(__name__)

UNKNOWN_REFUND = "The payment provider has refunds of this payment that were not known here. Refund again if more is due."


class MoreThanPaid(ProviderDisagrees):
    """With refunds of ours that have not been sent, more would go back than was paid."""


@transaction.atomic
def request_refund(*, payable: str, record_id: int, amount_cents: int, reason: str = "", user: Any = None) -> list[Refund]:
    """Give back money that has been applied to a record, newest payments first; return a pending refund for each payment.

    In the caller's transaction, which has locked the record, and after which the refunds are sent; then `Payable.record_refund`
    is called for each one that succeeds or fails.
    Money that a person recorded counts as paid back by a person. Raises Invalid (`amount_cents`, `reason`), also if it is more
    than is left of what was paid.
    """
    if not 0 < amount_cents <= MAX_CENTS:
        raise Invalid({"amount_cents": "The amount must be more than nothing."})
    if len(reason) > MAX_REASON or "\0" in reason:
        raise Invalid({"reason": f"The reason may not be greater than {MAX_REASON} characters."})
    left, refunds = amount_cents, []
    payments = selectors.refundable_payments(payable, record_id)
    for payment in payments:
        if left and (taken := _take(payment, left)):
            _check_steps(payment, taken)
            left -= taken
            refunds.append(_create(payment, taken, reason, user))
    if left:
        raise Invalid({"amount_cents": _too_much(payments, amount_cents - left)})
    return refunds


def check_refund(*, payable: str, record_id: int, amount_cents: int) -> int:
    """Check that each payment's part of an amount can be refunded, as `request_refund` does. Raises Invalid (`amount_cents`).

    Return how many minor units of it a person has to give back, because a person recorded that they arrived.
    """
    left, by_hand = amount_cents, 0
    for payment in selectors.refundable_payments(payable, record_id):
        taken = min(left, payment.refundable_cents)
        _check_steps(payment, taken)
        left -= taken
        by_hand += 0 if payment.provider else taken
    return by_hand


def _check_steps(payment: Payment, taken: int) -> None:
    if payment.provider and not is_payable(taken, payment.currency):
        raise Invalid({"amount_cents": steps_refusal(payment.currency)})


def _too_much(payments: list[Payment], most: int) -> str:
    if not most:
        return "There is no payment left to refund."
    return f"At most {format_money(Money(most, payments[0].currency))} can be refunded."


def _take(payment: Payment, most: int) -> int:
    """Take up to so much of a payment for a refund; return how much. Other requests may take from it at the same moment."""
    while part := min(most, payment.refundable_cents):
        enough = Payment.objects.filter(pk=payment.pk, refunded_cents__lte=F("amount_cents") - part)
        if enough.update(refunded_cents=F("refunded_cents") + part, updated_at=timezone.now()):
            return part
        payment.refresh_from_db(fields=["refunded_cents"])
    return 0


def refund_rest(payment: Payment, *, reason: str, user: Any) -> Refund:
    """Give back all that is left of a payment, in the caller's transaction. Raises Invalid (`status`) if nothing is."""
    taken = _take(payment, payment.refundable_cents)
    if not taken:
        raise Invalid({"status": "There is nothing left to refund."})
    return _create(payment, taken, reason, user)


@transaction.atomic
def record_refund(*, payment: Payment, note: str = "", user: Any = None) -> bool:
    """Record that a person has given back, in another way, what the provider could not: refunds that failed or cannot be sent.

    Return False if there are none any more. Raises Invalid (`note`).
    """
    if len(note) > MAX_REASON or "\0" in note:
        raise Invalid({"note": f"The note may not be greater than {MAX_REASON} characters."})
    locked, payable, record = lock_with_record(payment)
    refunds = selectors.refunds_to_make_otherwise(locked)
    for refund in refunds:
        if refund.status == RefundStatus.FAILED:
            _take(locked, refund.amount_cents)
            locked.refresh_from_db(fields=["refunded_cents"])
        refund.payment, refund.status, refund.is_by_hand, refund.updated_at = locked, RefundStatus.SUCCEEDED, True, timezone.now()
        refund.reason = note.strip() or refund.reason
        refund.save(update_fields=["status", "is_by_hand", "reason", "updated_at"])
        _note(payable, record, refund)
        log(instance=locked, action="payments.record_refund", user=user, data={"amount": format_money(refund.amount)})
    return bool(refunds)


def _create(payment: Payment, amount_cents: int, reason: str, user: Any) -> Refund:
    now = timezone.now()
    refund = Refund.objects.create(
        payment=payment, amount_cents=amount_cents, reason=reason.strip(), requested_by=user, created_at=now, updated_at=now
    )
    log(instance=payment, action="payments.refund", user=user, data={"amount": format_money(refund.amount)})
    transaction.on_commit(lambda: _send(refund.pk), robust=True)
    return refund


def _send(refund_id: int) -> None:
    send_refund(refund_id=refund_id)


def send_refund(*, refund_id: int) -> Refund:
    """Send a pending refund to its provider, or fetch its state if it was sent; return the refund as it is then.

    It can be repeated at any time; the refund stays pending while the provider cannot be asked. Not in a transaction.
    """
    try:
        return try_refund(refund_id)
    except ProviderError as problem:
        logger.warning("The refund %s could not be sent: %s", refund_id, problem)
        return Refund.objects.select_related("payment").get(pk=refund_id)


def try_refund(refund_id: int) -> Refund:
    """Do what `send_refund` does. Raises ProviderError."""
    refund = Refund.objects.select_related("payment").get(pk=refund_id)
    if refund.status == RefundStatus.PENDING and refund.payment.provider and not refund.reference:
        if _has_unknown_refunds(refund.payment):
            stopped = apply_refund(refund_id, RefundOutcome(RefundStatus.FAILED, error=UNKNOWN_REFUND))
            # Now that it takes nothing, there is room for those that are unknown.
            sync_refunds(refund.payment)
            return stopped
        refund.refresh_from_db()
    return refund if refund.status != RefundStatus.PENDING else apply_refund(refund_id, _outcome(refund))


def _outcome(refund: Refund) -> RefundOutcome:
    if not refund.payment.provider:
        return RefundOutcome(RefundStatus.SUCCEEDED)
    provider = provider_of(refund.payment)
    try:
        return provider.fetch_refund(refund) if refund.reference else provider.refund(refund)
    except ProviderRefused as refusal:
        if refund.reference:
            raise ProviderDisagrees(str(refusal)) from refusal
        return RefundOutcome(RefundStatus.FAILED, error=str(refusal))


@transaction.atomic(durable=True)
def apply_refund(refund_id: int, outcome: RefundOutcome) -> Refund:
    """Apply the state of a refund, once. One that has succeeded may still fail, if the customer's bank sends it back."""
    payment, payable, record = lock_with_record(Payment.objects.get(refunds=refund_id))
    refund = Refund.objects.get(pk=refund_id)
    refund.payment = payment
    if refund.is_by_hand:
        return refund
    refund.checked_at = timezone.now()
    refund.reference = refund.reference or outcome.reference or None
    is_news = refund.status in REFUND_MOVES.get(outcome.status, ())
    if is_news:
        refund.status, refund.error, refund.updated_at = outcome.status, outcome.error[:MAX_REASON], timezone.now()
    refund.save()
    if is_news and refund.status == RefundStatus.FAILED:
        Payment.objects.filter(pk=payment.pk).update(refunded_cents=F("refunded_cents") - refund.amount_cents)
        payment.refresh_from_db(fields=["refunded_cents"])
    if is_news:
        _note(payable, record, refund)
    return refund


def _note(payable: Payable | None, record: Any, refund: Refund) -> None:
    """Let a locked record take note of a refund of money that it uses; another amount may be due now."""
    payment = refund.payment
    if payable is not None and record is not None and not payment.unapplied:
        payable.record_refund(record, refund)
        close_payments_later(payable=payment.payable, record_id=payment.record_id)


def _has_unknown_refunds(payment: Payment) -> bool:
    """Return whether money has gone back that nobody here knew of, and take note of it. Raises ProviderError.

    Somebody has refunded it at the provider a moment ago, or a site that was lost has since its last backup.
    """
    try:
        return sync_refunds(payment)
    except MoreThanPaid:
        return True


def sync_refunds(payment: Payment) -> bool:
    """Record the refunds of a payment that were made at the provider, and update ours. Raises ProviderError.

    Return whether there were some that were not known here.
    """
    has_unknown = False
    for outcome in provider_of(payment).refunds(payment):
        parts = selectors.payments_with(payment.charge, payment.provider)
        rows = Refund.objects.filter(payment__in=parts)
        unanswered = with_external_id(rows.filter(reference=None), outcome.refund_id)
        refunds = list(rows.filter(Q(reference=outcome.reference) | Q(pk__in=unanswered)))
        if not refunds and outcome.status != RefundStatus.FAILED:
            refunds, has_unknown = _adopt(payment, outcome), True
        for refund in refunds:
            apply_refund(refund.pk, outcome)
    return has_unknown


@transaction.atomic(durable=True)
def _adopt(payment: Payment, outcome: RefundOutcome) -> list[Refund]:
    """Store a refund that was made at the provider: money that its record did not need goes back first."""
    parts = selectors.payments_with(payment.charge, payment.provider)
    locked = list(parts.select_for_update(of=("self",), no_key=True))
    if known := list(Refund.objects.filter(payment__in=locked, reference=outcome.reference)):
        return known
    if outcome.amount_cents > sum(part.refundable_cents for part in locked):
        # A refund of ours that has not been sent yet, and that the provider will refuse.
        raise MoreThanPaid("More has been refunded than was paid.")
    left, refunds, now = outcome.amount_cents, [], timezone.now()
    for part in locked:
        if taken := _take(part, left):
            left -= taken
            refunds.append(
                Refund.objects.create(
                    payment=part,
                    amount_cents=taken,
                    reference=outcome.reference,
                    reason="Refunded at the payment provider.",
                    created_at=now,
                    updated_at=now,
                )
            )
    return refunds
