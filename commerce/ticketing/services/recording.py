"""Records the money for a ticket order that has arrived outside the site, such as cash."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from cms_api.core.errors import Invalid
from commerce.payments.services import record_payment

from ..models import TicketOrder
from ..types.orders import PAYABLE
from .paying import GONE, NOT_DUE, become_paid, lock_order


@transaction.atomic
def record_order_payment(*, order: TicketOrder, values: Mapping[str, Any], user: Any = None) -> Any:
    """Record the whole total of a pending order, issue its tickets, and return the payment.

    `values`: `method` (cash, check, bank_transfer, other), `paid_at` (an instant that is not in the future, by default now),
    `reference`, `note`. Raises Invalid by these names, and `status` where nothing is due or the seats are gone.
    """
    locked = lock_order(order.pk)
    if locked is None or not locked.is_pending:
        raise Invalid({"status": NOT_DUE})
    payment = record_payment(
        payable=PAYABLE,
        record_id=locked.pk,
        amount_cents=locked.total_cents,
        method=values.get("method") or "",
        paid_at=values.get("paid_at"),
        reference=values.get("reference") or "",
        note=values.get("note") or "",
        user=user,
    )
    if not become_paid(locked, at=payment.paid_at):
        raise Invalid({"status": GONE})
    return payment
