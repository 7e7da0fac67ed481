"""Periodic work: appointments whose deposit was not paid in time."""

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import batches
from commerce.common.services.networks import forget_networks
from commerce.payments.selectors import applied_payments
from commerce.payments.services import close_payments

from ..models import Appointment
from ..types.appointments import PAYABLE, AppointmentStatus
from . import notices
from .ending import become_cancelled
from .paying import lock_appointment

#: Appointments that one run of the job works on; the next run continues.
APPOINTMENTS_PER_RUN = 500


def lapse_appointments() -> None:
    """Cancel pending appointments whose time to pay has ended, so that others can have their times.

    Their payment pages are closed at the provider first; one that was paid at the last moment is settled instead. Nobody was
    notified of them, so no event fires, and no email is sent unless money had arrived and went back. One with a part of its
    deposit, paid by hand, stays until staff decide.
    """
    lapsed = Appointment.objects.filter(
        reserved_until__lte=timezone.now(), status=AppointmentStatus.PENDING, is_processing=False, amount_paid_cents=0
    )
    batches.each(lapsed.order_by("reserved_until", "pk").values_list("pk", flat=True), _close, limit=APPOINTMENTS_PER_RUN)


def forget_networks_of_appointments() -> None:
    """Delete the networks of appointments of former days (periodic job)."""
    forget_networks(Appointment.objects.exclude(status=AppointmentStatus.PENDING))


def _close(pk: int) -> None:
    if close_payments(payable=PAYABLE, record_id=pk):
        _lapse(pk)


@transaction.atomic
def _lapse(pk: int) -> None:
    appointment = lock_appointment(pk)
    if appointment is None or not appointment.is_pending or appointment.is_processing or appointment.amount_paid_cents:
        return
    if appointment.reserved_until is None or appointment.reserved_until > timezone.now():
        return
    become_cancelled(appointment)
    log(instance=appointment, action="booking.lapse")
    if applied_payments(PAYABLE, pk).exists():
        notices.send_cancelled(appointment, has_invite=False)
        notices.notify_staff(appointment, notices.CANCELLED)
