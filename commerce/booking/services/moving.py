"""Reschedules appointments."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid
from cms_api.core.time_zones import zone_named

from ..models import Appointment, BookedSlot, Staff
from ..selectors.appointments import can_change
from ..selectors.services import all_staff_for, staff_for
from . import notices
from .ending import GONE, TOO_LATE
from .paying import APPOINTMENTS
from .reminding import needs_no_reminder
from .slots import give_back_slot, lock_staff, place_appointment, take_slot


@transaction.atomic
def reschedule_appointment(
    *,
    appointment: Appointment,
    starts_at: datetime,
    staff: Staff | None = None,
    timezone_name: str = "",
    by_customer: bool = False,
    user: Any = None,
) -> Appointment:
    """Move an appointment to another time, or to another member of staff, and return it; its price and length stay.

    Customers can move it to times on offer, within the rules of the service; staff to any time that is not taken.
    `timezone_name` is the customer's zone, if it has changed. Raises Invalid (`status`, `starts_at`, `staff`, `timezone`).
    """
    locked = APPOINTMENTS.lock(appointment.pk)
    if locked is None:
        raise Invalid({"status": GONE})
    if not locked.is_active:
        raise Invalid({"status": f"This appointment is {locked.get_status_display().lower()}."})
    if by_customer and not can_change(locked):
        raise Invalid({"status": TOO_LATE})
    wanted = staff or locked.staff
    if (wanted.pk, starts_at) == (locked.staff_id, locked.starts_at):
        raise Invalid({"starts_at": "Choose another time."})
    offered = staff_for(locked.service) if by_customer else all_staff_for(locked.service)
    if not offered.filter(pk=wanted.pk).exists():
        raise Invalid({"staff": "Choose somebody who offers this service."})
    zone = zone_named(timezone_name or locked.timezone)
    if zone is None:
        raise Invalid({"timezone": "The selected timezone is invalid."})
    former = locked.staff
    _move(locked, starts_at, wanted, by_staff=not by_customer)
    locked.timezone = zone.key
    locked.sequence += 1
    locked.reminded_at = timezone.now() if needs_no_reminder(locked) else None
    locked.updated_at = timezone.now()
    locked.save()
    # By the name of the member of staff.
    get_search_backend().add(locked)
    log(instance=locked, action="booking.reschedule", user=user, data={"starts_at": starts_at.isoformat()})
    notices.record_moved(locked)
    notices.send_changed(locked)
    notices.notify_staff(locked, notices.MOVED)
    if former.email != locked.staff.email:
        notices.notify_staff(locked, notices.MOVED, staff=former)
    return locked


def _move(appointment: Appointment, starts_at: datetime, staff: Staff, *, by_staff: bool) -> None:
    lock_staff([appointment.staff_id, staff.pk])
    # Read again: others may have joined or left the class until now.
    former = BookedSlot.objects.get(appointments=appointment)
    slot = take_slot(service=appointment.service, starts_at=starts_at, staff=[staff], by_staff=by_staff, moving=former)
    place_appointment(appointment, slot)
    appointment.save(update_fields=["slot"])
    if slot.pk != former.pk:
        give_back_slot(former)
