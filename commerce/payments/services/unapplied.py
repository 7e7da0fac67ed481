"""Money that has arrived without being applied, which a person settles."""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid, invalid_choice

from .. import selectors
from ..models import Payment, Refund
from ..types import Payable
from .locking import lock_payment, lock_with_record
from .outcomes import offer
from .refunds import refund_rest
from .starting import close_payments_later


@transaction.atomic
def apply_unapplied(*, payment: Payment, user: Any = None) -> bool:
    """Offer unapplied money to its record again; return False if it is applied already. Raises Invalid (`status`) if refused."""
    locked, payable, record = lock_with_record(payment)
    if not locked.unapplied:
        return False
    _offer(payable, record, locked)
    log(instance=locked, action="payments.apply", user=user)
    return True


@transaction.atomic
def move_payment(*, payment: Payment, record_id: int, user: Any = None) -> bool:
    """Apply unapplied money to another record of the same customer; return False if it is applied already.

    Raises Invalid: `record_id` unless it is one of `Payable.alternatives`, `status` if that record refuses the money.
    """
    payable = selectors.payable_of(payment)
    if payable is None or record_id not in dict(payable.alternatives(payment)):
        raise Invalid({"record_id": invalid_choice("record")})
    record = payable.lock(record_id)
    if record is None:
        raise Invalid({"record_id": invalid_choice("record")})
    locked = lock_payment(payment.pk)
    if not locked.unapplied:
        return False
    former, locked.record_id = locked.description, record_id
    due = payable.due(record)
    locked.description, locked.purpose = due.line, due.purpose
    _offer(payable, record, locked)
    get_search_backend().add(locked)
    log(instance=locked, action="payments.move", user=user, data={"from": former, "to": locked.description})
    return True


def _offer(payable: Payable | None, record: Any, locked: Payment) -> None:
    """Offer money to a record, both locked. Raises Invalid (`status`) if it is refused."""
    if locked.refunded_cents:
        raise Invalid({"status": "Part of this payment has been refunded. Refund the rest instead."})
    # A record may add up its payments; a refusal takes this back.
    locked.unapplied = ""
    locked.save(update_fields=["record_id", "description", "purpose", "unapplied"])
    if refusal := offer(payable, record, locked):
        raise Invalid({"status": refusal})
    # The customer may have begun to pay in the meantime.
    close_payments_later(payable=locked.payable, record_id=locked.record_id)


@transaction.atomic
def refund_unapplied(*, payment: Payment, user: Any = None) -> Refund | None:
    """Give unapplied money back; return None if it is applied, or has gone back, already.

    The payment is no longer to be settled once the refund is requested, and is again if the refund fails.
    """
    locked = lock_payment(payment.pk)
    if not locked.is_to_settle:
        return None
    return refund_rest(locked, reason=locked.unapplied, user=user)
