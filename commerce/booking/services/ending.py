"""Cancels and completes appointments."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.webhooks.services import emit
from commerce.payments.services import close_payments, close_payments_later
from commerce.sales.services import give_up_use

from ..models import Appointment
from ..selectors.appointments import can_change
from ..selectors.pricing import CODES
from ..types.appointments import PAYABLE, AppointmentStatus
from . import notices
from .paying import APPOINTMENTS
from .slots import lock_staff, release_slot

TOO_LATE = "It's too late to change this appointment online. Please contact us."
GONE = "This appointment has been deleted."
PAID_MEANWHILE = "This appointment has just been paid. Look at it again before you cancel it."


def cancel_appointment(
    *, appointment: Appointment, by_customer: bool = False, user: Any = None, seen_paid_cents: int | None = None
) -> bool:
    """Cancel an appointment, so that others can have its time; nothing is refunded. Return False if it is cancelled already.

    Raises Invalid (`status`) for one that is over, for one of which more has been paid than its customer has seen (by default:
    than when it was read), and for a customer who is too late. Must not be called in a transaction: its payment page is closed at
    the provider first. Money that arrives all the same stays unapplied.
    """
    is_late = by_customer and not can_change(appointment)
    if appointment.is_active and not is_late:
        close_payments(payable=PAYABLE, record_id=appointment.pk)
    seen = appointment.amount_paid_cents if seen_paid_cents is None else seen_paid_cents
    return _cancel(appointment, by_customer, user, seen)


@transaction.atomic
def _cancel(appointment: Appointment, by_customer: bool, user: Any, seen_paid_cents: int) -> bool:
    locked = _lock(appointment)
    if locked.status == AppointmentStatus.CANCELLED:
        return False
    if not locked.is_active:
        raise Invalid({"status": f"This appointment is {_word(locked)}."})
    if by_customer and not can_change(locked):
        raise Invalid({"status": TOO_LATE})
    if locked.amount_paid_cents > seen_paid_cents:
        raise Invalid({"status": PAID_MEANWHILE})
    was_confirmed = locked.status == AppointmentStatus.CONFIRMED
    become_cancelled(locked)
    log(instance=locked, action="booking.cancel", user=user)
    emit("booking.cancelled", locked)
    notices.record_cancelled(locked)
    notices.send_cancelled(locked, has_invite=was_confirmed)
    notices.notify_staff(locked, notices.CANCELLED)
    return True


def become_cancelled(appointment: Appointment) -> None:
    """Cancel an appointment that the caller has locked, and give back its time and its use of a discount code."""
    now = timezone.now()
    appointment.status, appointment.cancelled_at, appointment.updated_at = AppointmentStatus.CANCELLED, now, now
    appointment.is_processing, appointment.reserved_until = False, None
    appointment.sequence += 1
    # Before the code, in the order of bookings: otherwise the two would wait for each other.
    lock_staff([appointment.staff_id])
    close_payments_later(payable=PAYABLE, record_id=appointment.pk)
    give_up_use(CODES, appointment)
    release_slot(appointment)


@transaction.atomic
def complete_appointment(*, appointment: Appointment, user: Any = None) -> Appointment:
    """Complete a confirmed appointment, and return it. Raises Invalid (`status`) for any other."""
    locked = _lock_confirmed(appointment)
    locked.status, locked.completed_at = AppointmentStatus.COMPLETED, timezone.now()
    locked.updated_at = locked.completed_at
    locked.save()
    log(instance=locked, action="booking.complete", user=user)
    emit("booking.completed", locked)
    notices.record_completed(locked)
    return locked


@transaction.atomic
def mark_no_show(*, appointment: Appointment, user: Any = None) -> Appointment:
    """Note that the customer of a confirmed appointment did not come, and return it. Raises Invalid (`status`) for any other."""
    locked = _lock_confirmed(appointment)
    locked.status, locked.updated_at = AppointmentStatus.NO_SHOW, timezone.now()
    locked.save()
    close_payments_later(payable=PAYABLE, record_id=locked.pk)
    log(instance=locked, action="booking.no_show", user=user)
    notices.record_no_show(locked)
    return locked


def _lock_confirmed(appointment: Appointment) -> Appointment:
    locked = _lock(appointment)
    if locked.status != AppointmentStatus.CONFIRMED:
        raise Invalid({"status": f"Only a confirmed appointment can be completed or missed; this one is {_word(locked)}."})
    return locked


def _lock(appointment: Appointment) -> Appointment:
    locked = APPOINTMENTS.lock(appointment.pk)
    if locked is None:
        raise Invalid({"status": GONE})
    return locked


def _word(appointment: Appointment) -> str:
    return str(appointment.get_status_display()).lower()
