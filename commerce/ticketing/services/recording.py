"""Records the money for a ticket order that has arrived outside the site, such as cash."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from cms_api.core.errors import Invalid

from ..models import TicketOrder
from .paying import GONE, NOT_DUE, ORDERS, become_paid, lock_order


@transaction.atomic
def record_order_payment(*, order: TicketOrder, values: Mapping[str, Any], user: Any = None) -> Any:
    """Record the whole total of a pending order, issue its tickets, and return the payment.

    `values`: `method` (cash, check, bank_transfer, other), `paid_at` (an instant that is not in the future, by default now),
    `reference`, `note`. Raises Invalid by these names, and `status` where nothing is due or the seats are gone.
    """
    locked = lock_order(order.pk)
    if locked is None or not locked.is_pending:
        raise Invalid({"status": NOT_DUE})
    payment = ORDERS.record_arrived(locked, values, amount_cents=locked.total_cents, user=user)
    if not become_paid(locked, at=payment.paid_at):
        raise Invalid({"status": GONE})
    return payment
