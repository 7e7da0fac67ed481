"""Money that has arrived without being applied, which a person settles."""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core import registry
from cms_api.core.errors import Invalid

from ..models import Payment, Refund
from .refunds import refund_rest
from .settling import offer


@transaction.atomic
def apply_unapplied(*, payment: Payment, user: Any = None) -> bool:
    """Offer unapplied money to its record again; return False if it is applied already. Raises Invalid (`status`) if refused."""
    payable: Any = registry.payables().get(payment.payable)
    record = payable.lock(payment.record_id) if payable else None
    locked = _lock(payment)
    if not locked.unapplied:
        return False
    if locked.refunded_cents:
        raise Invalid({"status": "Part of this payment has been refunded. Refund the rest instead."})
    # A record may add up its payments; a refusal takes this back.
    locked.unapplied = ""
    locked.save(update_fields=["unapplied"])
    if refusal := offer(payable, record, locked):
        raise Invalid({"status": refusal})
    log(instance=locked, action="payments.apply", user=user)
    return True


@transaction.atomic
def refund_unapplied(*, payment: Payment, user: Any = None) -> Refund | None:
    """Give unapplied money back; return None if it is applied, or has gone back, already.

    The payment is no longer to be settled once the refund is requested, and is again if the refund fails.
    """
    locked = _lock(payment)
    if not locked.is_to_settle:
        return None
    return refund_rest(locked, reason=locked.unapplied, user=user)


def _lock(payment: Payment) -> Payment:
    return Payment.objects.select_for_update(of=("self",), no_key=True).get(pk=payment.pk)
