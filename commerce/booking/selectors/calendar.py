"""The hours of staff and what takes their time, between two instants. Six statements, however many staff and appointments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from commerce.common.types.hours import Schedule

from ..models import Appointment, BusyTime, Staff, TimeOff
from ..types.appointments import AppointmentStatus
from ..types.services import LONGEST_SERVICE_MINUTES
from .availability import read_schedules

#: Records of one kind that are read at most.
MAX_RECORDS = 500


@dataclass(frozen=True, slots=True)
class Calendar:
    """The time of staff. Appointments that were cancelled are not in it."""

    appointments: Sequence[Appointment]
    #: The hours by member of staff.
    schedules: Mapping[int, Schedule]
    time_off: Sequence[TimeOff]
    busy: Sequence[BusyTime]
    #: Whether there is more than `MAX_RECORDS` of something.
    is_cut: bool


def read_calendar(staff: Sequence[Staff], first: datetime, last: datetime) -> Calendar:
    """Return what begins before `last` and ends after `first`."""
    ids = [each.pk for each in staff]
    inside = Q(starts_at__lt=last, ends_at__gt=first)
    # By the index on starts.
    booked = Appointment.objects.filter(inside, staff__in=ids, starts_at__gt=first - timedelta(minutes=LONGEST_SERVICE_MINUTES))
    booked = booked.exclude(status=AppointmentStatus.CANCELLED).select_related("slot", "service")
    off = TimeOff.objects.filter(inside, Q(staff__in=ids) | Q(staff=None)).order_by("starts_at", "pk")
    busy = BusyTime.objects.filter(inside, staff__in=ids).order_by("starts_at", "pk")
    found = (
        list(booked.order_by("starts_at", "pk")[: MAX_RECORDS + 1]),
        list(off[: MAX_RECORDS + 1]),
        list(busy[: MAX_RECORDS + 1]),
    )
    is_cut = any(len(rows) > MAX_RECORDS for rows in found)
    return Calendar(
        found[0][:MAX_RECORDS], read_schedules(staff, first, last), found[1][:MAX_RECORDS], found[2][:MAX_RECORDS], is_cut
    )
