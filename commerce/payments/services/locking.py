"""Locks of payments. A record is locked before its payments, everywhere."""

from typing import Any

from cms_api.core.locks import get_row

from .. import selectors
from ..models import Payment
from ..types import Payable


def lock_payment(pk: int) -> Payment:
    """Return a payment, locked; the caller has locked its record. Raises NotFound if it is gone."""
    return get_row(Payment.objects.select_for_update(of=("self",), no_key=True), pk)


def lock_with_record(payment: Payment) -> tuple[Payment, Payable | None, Any]:
    """Return a payment as it is now, the kind of its record, and the record, both locked; None for what is gone."""
    payable = selectors.payable_of(payment)
    record = payable.lock(payment.record_id) if payable is not None else None
    return lock_payment(payment.pk), payable, record
