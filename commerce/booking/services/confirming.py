"""Makes appointments binding."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row
from cms_api.webhooks.services import emit

from ..models import Appointment
from ..types.appointments import AppointmentStatus
from . import notices
from .reminding import needs_no_reminder


def become_confirmed(appointment: Appointment, *, user: Any = None, network: str = "") -> None:
    """Confirm an appointment: its customer gets an email with an invite. The caller has locked it, or created it.

    `network` is that of a visitor who has booked it without a payment, by which it is counted from now on.
    """
    now = timezone.now()
    appointment.status, appointment.confirmed_at, appointment.updated_at = AppointmentStatus.CONFIRMED, now, now
    appointment.requires_approval, appointment.is_processing, appointment.reserved_until = False, False, None
    appointment.network = network
    appointment.reminded_at = now if needs_no_reminder(appointment) else None
    appointment.save()
    log(instance=appointment, action="booking.confirm", user=user)
    emit("booking.created", appointment)
    notices.record_booked(appointment)
    notices.send_confirmed(appointment)
    notices.notify_staff(appointment, notices.BOOKED)


@transaction.atomic
def confirm_appointment(*, appointment: Appointment, user: Any = None) -> bool:
    """Confirm a pending appointment by hand, even if its deposit has not been paid; return False if it is confirmed already.

    Raises Invalid (`status`).
    """
    locked = get_row(Appointment.objects.select_for_update(), appointment.pk)
    if locked.status == AppointmentStatus.CONFIRMED:
        return False
    if not locked.is_pending:
        raise Invalid({"status": f"This appointment is {locked.get_status_display().lower()}."})
    become_confirmed(locked, user=user)
    return True
