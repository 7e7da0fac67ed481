"""Takes and gives back the time of staff. Nothing else writes slots.

Everybody who changes the slots of a member of staff has locked that row first, always before those of slots and after that of an
appointment. On PostgreSQL, an exclusion constraint refuses overlapping slots as well.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Count, F
from django.utils import timezone

from cms_api.core.errors import Invalid

from ..models import Appointment, BookedSlot, Service, Staff
from ..selectors.availability import openings

TAKEN = "This time has just been taken. Choose another time."
TOO_FAR = "Choose a time within the next ten years."
#: In either direction: customers are limited by the service, and staff may add appointments that are past.
FARTHEST_START = timedelta(days=10 * 366)
_INSTANT = timedelta(seconds=1)


class _Taken(Exception):
    """A member of staff cannot be booked at this time."""


def take_slot(
    *, service: Service, starts_at: datetime, staff: Sequence[Staff], by_staff: bool = False, moving: BookedSlot | None = None
) -> BookedSlot:
    """Return the slot of the first of `staff` that is free, or a seat in their class. Raises Invalid (`starts_at`).

    Customers can only have what is on offer; `by_staff` needs no working hours and no notice, only time that is not taken.
    `moving` is the slot of an appointment that moves and keeps its length; the same transaction gives it up afterwards. Must be
    called in a transaction.
    """
    if abs(starts_at - timezone.now()) > FARTHEST_START:
        raise Invalid({"starts_at": TOO_FAR})
    for each in staff if len(staff) == 1 else _least_busy_first(staff, starts_at):
        try:
            # A lock of somebody that is not free is given up with the savepoint, so that no two requests wait for each other.
            with transaction.atomic():
                return _take(service, starts_at, each, by_staff, moving)
        except _Taken:
            continue
    raise Invalid({"starts_at": TAKEN})


def _least_busy_first(staff: Sequence[Staff], starts_at: datetime) -> list[Staff]:
    """Sort staff by the slots that are taken around a time, so that bookings with anyone are shared out."""
    around = (starts_at - timedelta(hours=12), starts_at + timedelta(hours=12))
    near = BookedSlot.objects.filter(staff__in=staff, starts_at__gte=around[0], starts_at__lt=around[1])
    taken = dict(near.order_by().values_list("staff").annotate(Count("pk")))
    return sorted(staff, key=lambda each: taken.get(each.pk, 0))


def _take(service: Service, starts_at: datetime, staff: Staff, by_staff: bool, moving: BookedSlot | None) -> BookedSlot:
    if not lock_staff([staff.pk]):
        raise _Taken
    if not by_staff and not _is_offered(service, starts_at, staff, moving):
        raise _Taken
    shared = BookedSlot.objects.filter(staff=staff, service=service, starts_at=starts_at) if service.is_class else None
    if shared is not None and (joined := shared.first()):
        # `openings` has counted the seats, but is not asked for staff.
        if not shared.filter(seats_taken__lt=service.capacity).update(seats_taken=F("seats_taken") + 1):
            raise _Taken
        joined.refresh_from_db()
        return joined
    return _insert(_slot(service, starts_at, staff, moving), moving)


def _is_offered(service: Service, starts_at: datetime, staff: Staff, moving: BookedSlot | None) -> bool:
    # Openings are whole seconds: the last comparison refuses times between them.
    found = openings(service, [staff], starts_at, starts_at + _INSTANT, moving=moving)
    return any(each.starts_at == starts_at for each in found)


def _slot(service: Service, starts_at: datetime, staff: Staff, moving: BookedSlot | None) -> BookedSlot:
    ends_at = starts_at + (moving.length if moving is not None else timedelta(minutes=service.duration_minutes))
    return BookedSlot(
        staff=staff,
        service=service,
        starts_at=starts_at,
        ends_at=ends_at,
        occupied_from=starts_at - timedelta(minutes=service.buffer_before_minutes),
        occupied_until=ends_at + timedelta(minutes=service.buffer_after_minutes),
    )


def _insert(slot: BookedSlot, moving: BookedSlot | None) -> BookedSlot:
    others = BookedSlot.objects.filter(
        staff=slot.staff, occupied_from__lt=slot.occupied_until, occupied_until__gt=slot.occupied_from
    )
    if moving is not None and moving.seats_taken == 1:
        # It is the caller's own: it becomes the new one.
        slot.pk = moving.pk
        others = others.exclude(pk=moving.pk)
    if others.exists():
        raise _Taken
    try:
        with transaction.atomic():
            slot.save(force_update=slot.pk is not None, force_insert=slot.pk is None)
    except IntegrityError as conflict:
        raise _Taken from conflict
    return slot


def give_back_slot(slot: BookedSlot) -> None:
    """Free a seat, and with the last one the time. The caller has locked the member of staff, and left the slot."""
    if not BookedSlot.objects.filter(pk=slot.pk, seats_taken__gt=1).update(seats_taken=F("seats_taken") - 1):
        BookedSlot.objects.filter(pk=slot.pk).delete()


def lock_staff(ids: Collection[int]) -> list[int]:
    """Lock members of staff, in the order of their ids, and return these without those that were deleted."""
    rows = Staff.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)
    return list(rows.values_list("pk", flat=True))


def place_appointment(appointment: Appointment, slot: BookedSlot) -> None:
    """Give a seat in a slot to an appointment, which the caller saves."""
    appointment.slot, appointment.starts_at, appointment.ends_at = slot, slot.starts_at, slot.ends_at
    appointment.staff, appointment.staff_name = slot.staff, slot.staff.name


def release_slot(appointment: Appointment) -> None:
    """Save an appointment without its slot. The caller has locked the appointment."""
    slot, appointment.slot = appointment.slot, None
    if slot is not None:
        lock_staff([appointment.staff_id])
    appointment.save()
    if slot is not None:
        give_back_slot(slot)
