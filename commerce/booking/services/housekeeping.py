"""Periodic work: appointments whose deposit was not paid in time."""

from wagtail.log_actions import log

from commerce.common.services.networks import forget_networks
from commerce.payments.selectors import applied_payments
from commerce.sales.services import lapse_unpaid, reserved_until_now

from ..models import Appointment
from ..types.appointments import PAYABLE, AppointmentStatus
from . import notices
from .ending import become_cancelled
from .paying import APPOINTMENTS


def lapse_appointments() -> None:
    """Cancel pending appointments whose time to pay has ended, so that others can have their times (periodic job).

    Nobody was notified of them, so no event fires, and no email is sent unless money had arrived and went back. One with a part
    of its deposit, paid by hand, stays until staff decide.
    """
    lapsed = Appointment.objects.filter(reserved_until_now(AppointmentStatus.PENDING), amount_paid_cents=0)
    lapse_unpaid(APPOINTMENTS, lapsed.order_by("reserved_until", "pk"), _lapse)


def forget_networks_of_appointments() -> None:
    """Delete the networks of appointments of former days (periodic job)."""
    forget_networks(Appointment.objects.exclude(status=AppointmentStatus.PENDING))


def _lapse(appointment: Appointment) -> None:
    become_cancelled(appointment)
    log(instance=appointment, action="booking.lapse")
    if applied_payments(PAYABLE, appointment.pk).exists():
        notices.send_cancelled(appointment, has_invite=False)
        notices.notify_staff(appointment, notices.CANCELLED)
