"""Appointments as records that customers pay for: the deposit first, and the balance later."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import kept_cents
from commerce.sales.services import ReservedPayable, read_part, reservation_end
from commerce.sales.types import Stage

from ..models import Appointment
from ..selectors.appointments import MANAGE_LINK
from ..types.appointments import PAYABLE, AppointmentStatus
from . import notices
from .confirming import become_confirmed

#: The statuses in which a balance can be paid.
PAYS = (AppointmentStatus.CONFIRMED, AppointmentStatus.COMPLETED)


class Appointments(ReservedPayable[Appointment]):
    model, payable, log_prefix, customer_link = Appointment, PAYABLE, "booking", MANAGE_LINK
    admin_page = "appointments:inspect"
    not_in_time = "The time to pay for this appointment has ended."
    not_due = "This appointment doesn't wait for a payment."
    stages = {
        AppointmentStatus.PENDING: Stage.PENDING,
        AppointmentStatus.CONFIRMED: Stage.PAID,
        AppointmentStatus.COMPLETED: Stage.PAID,
        AppointmentStatus.NO_SHOW: Stage.PAID,
        AppointmentStatus.CANCELLED: Stage.CANCELLED,
    }
    # Its money is given back apart.
    more_transitions = {Stage.PAID: {Stage.CANCELLED}}

    def lock(self, pk: int) -> Appointment | None:
        rows = Appointment.objects.select_for_update(of=("self",)).select_related("service", "staff", "slot")
        return rows.filter(pk=pk).first()

    def check_due(self, record: Appointment) -> None:
        if not amount_due(record):
            raise Invalid({"status": self.not_due})

    def amount_to_pay(self, record: Appointment) -> Money:
        """Return the deposit of a pending appointment, or the balance."""
        return Money(amount_due(record), record.currency)

    def take(self, record: Appointment, until: datetime) -> None:
        record.reserved_until = until
        record.save(update_fields=["reserved_until"])

    def pays_until(self, record: Appointment) -> datetime:
        """Return its end at the latest; one of which a part was recorded keeps its time, until staff decide otherwise."""
        return record.ends_at if record.amount_paid_cents > 0 else min(record.ends_at, super().pays_until(record))

    def describe(self, record: Appointment) -> str:
        return f"Appointment: {record.service_name}"

    def amount_due(self, record: Appointment) -> Money | None:
        """Return the balance: somebody who has paid more than the deposit has paid a part of the rest."""
        pays = record.is_pending or record.status in PAYS
        return Money(record.balance_due_cents, record.currency) if pays else None

    def read_amount(self, sale: Appointment, values: Mapping[str, Any]) -> int:
        """Return a part of what is due, by default the balance."""
        if not amount_due(sale):
            raise Invalid({"status": self.not_due})
        return read_part(sale, values)

    def apply_recorded(self, sale: Appointment, payment: Any) -> None:
        """Apply also a part of a deposit, which waits for the rest from now on."""
        sale.refresh_from_db(fields=["reserved_until"])
        apply_payment(sale, payment)

    def apply_payment(self, record: Appointment, payment: Any) -> bool:
        """Apply money for a balance, also a part of it, and for a deposit the whole of it, unless the appointment is over.

        Nobody has been promised a pending appointment: staff decide whether it took place.
        """
        deposit = record.deposit_due_cents
        if record.is_pending and record.ends_at < timezone.now():
            raise Invalid({"status": self.not_in_time})
        if record.is_pending and deposit and payment.amount_cents < deposit:
            due = format_money(Money(deposit, record.currency))
            raise Invalid({"status": f"{format_money(payment.amount)} arrived, and the deposit of {due} can't be paid in part."})
        if record.is_pending and not deposit:
            return False
        apply_payment(record, payment)
        return True

    def add_up(self, record: Appointment, refund: Any) -> list[str]:
        """Add up what is left. A pending appointment whose deposit went back waits for it again, until the refund fails."""
        record.amount_paid_cents = max(0, kept_cents(PAYABLE, record.pk))
        if record.is_pending and not record.deposit_due_cents:
            record.reserved_until = None
        elif record.is_pending and not record.amount_paid_cents:
            record.reserved_until = reservation_end()
        return ["amount_paid_cents", "reserved_until"]

    def alternatives(self, payment: Any) -> Sequence[tuple[int, str]]:
        """Return the customer's other appointments with as much to pay."""
        known = Appointment.objects.filter(pk=payment.record_id).values("email")
        others = Appointment.objects.filter(email__in=known, currency=payment.currency).exclude(pk=payment.record_id)
        due = [each for each in others.order_by("-pk")[:100] if amount_due(each) == payment.amount_cents]
        return [(each.pk, str(each)) for each in due]

    def name(self, pk: int) -> str:
        return f"Appointment {pk}"


APPOINTMENTS = Appointments()


def apply_payment(record: Appointment, payment: Any) -> None:
    """Take note of money that has been stored for a locked appointment; once its deposit is paid, it is confirmed."""
    record.amount_paid_cents += payment.amount_cents
    record.is_processing, record.updated_at = False, timezone.now()
    is_complete = not record.deposit_due_cents
    if is_complete:
        record.reserved_until = None
    record.save()
    data = {"cents": payment.amount_cents, "currency": record.currency}
    log(instance=record, action="booking.paid", user=payment.recorded_by, data=data)
    if record.is_pending and is_complete and record.requires_approval:
        notices.request_approval(record)
    elif record.is_pending and is_complete:
        become_confirmed(record)


def amount_due(record: Appointment) -> int:
    """Return what its customer can pay now, in minor units: what is left of the deposit, or of the price."""
    if record.is_pending:
        return 0 if record.is_processing else record.deposit_due_cents
    return record.balance_due_cents if record.status in PAYS else 0
