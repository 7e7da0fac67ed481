"""Reminds customers of their appointments by email."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from cms_api.core import batches
from cms_api.core.locks import get_row
from cms_api.flags.selectors import get_setting

from ..models import Appointment
from ..types.appointments import AppointmentStatus
from ..types.services import FARTHEST_DAYS_AHEAD
from . import notices

#: Appointments that one run of the job works on; the next run continues.
APPOINTMENTS_PER_RUN = 500


#: Nobody can book further ahead.
MAX_REMINDER_HOURS = 24 * FARTHEST_DAYS_AHEAD


def reminder_time() -> timedelta:
    """Return how long before an appointment its customer is reminded; zero for no reminders."""
    return timedelta(hours=min(max(0, get_setting("booking.reminder_hours")), MAX_REMINDER_HOURS))


def needs_no_reminder(appointment: Appointment) -> bool:
    """Return whether an appointment is so soon that the email about its booking reminds of it."""
    return appointment.starts_at <= timezone.now() + reminder_time()


def remind_customers() -> None:
    """Remind the customers of confirmed appointments that are near (periodic job)."""
    now, ahead = timezone.now(), reminder_time()
    if not ahead:
        return
    due = Appointment.objects.filter(
        status=AppointmentStatus.CONFIRMED, reminded_at=None, starts_at__gt=now, starts_at__lte=now + ahead
    )
    batches.each(due.order_by("starts_at", "pk").values_list("pk", flat=True), _remind, limit=APPOINTMENTS_PER_RUN)


@transaction.atomic
def _remind(pk: int) -> None:
    appointment = get_row(Appointment.objects.select_for_update(of=("self",)).select_related("service"), pk)
    soon = timezone.now() + reminder_time()
    # It may have been moved, cancelled, or reminded of by another run.
    if appointment.status == AppointmentStatus.CONFIRMED and not appointment.reminded_at and appointment.starts_at <= soon:
        Appointment.objects.filter(pk=pk).update(reminded_at=timezone.now())
        notices.send_reminder(appointment)
