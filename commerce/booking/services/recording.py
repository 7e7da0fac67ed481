"""Records money for appointments that has arrived outside the site, such as cash."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from cms_api.core.errors import Invalid
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Appointment
from .ending import GONE
from .paying import APPOINTMENTS, amount_due, apply_payment, lock_appointment


@transaction.atomic
def record_booking_payment(*, appointment: Appointment, values: Mapping[str, Any], user: Any = None) -> Any:
    """Record money for an appointment, also a part of what is due, and return the payment.

    `values`: `method` (required: cash, check, bank_transfer, other), `amount_cents` (by default the balance), `paid_at` (an
    instant that is not in the future, by default now), `reference`, `note`. A pending appointment is confirmed once its deposit
    is paid. Raises Invalid by these names, and `status` where nothing is due.
    """
    locked = lock_appointment(appointment.pk)
    if locked is None:
        raise Invalid({"status": GONE})
    if not amount_due(locked):
        raise Invalid({"status": "This appointment doesn't wait for a payment."})
    balance = locked.balance_due_cents
    amount = balance if values.get("amount_cents") is None else values["amount_cents"]
    if not 1 <= amount <= balance:
        shown = format_money(Money(balance, locked.currency))
        raise Invalid({"amount_cents": f"Enter an amount of at most the balance of {shown}."})
    payment = APPOINTMENTS.record_arrived(locked, values, amount_cents=amount, user=user)
    # A deposit that is only paid in part waits for the rest from now on.
    locked.refresh_from_db(fields=["reserved_until"])
    apply_payment(locked, payment)
    return payment
