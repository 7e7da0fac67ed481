"""Reads of appointments."""

from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from cms_api.core.records import filter_given
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching
from commerce.common.selectors import placed_by
from commerce.common.types import email_key

from ..models import Appointment, Staff
from ..types.appointments import ACTIVE, UPCOMING, AppointmentStatus

#: The link with which customers reschedule and cancel, which they get by email.
MANAGE_LINK = SignedLink("booking.appointment", Appointment, view="booking_manage")

#: Those that a staff feed shows.
_IN_FEED = (*ACTIVE, AppointmentStatus.COMPLETED)


def appointments(
    *,
    status: str | None = None,
    email: str | None = None,
    service_id: int | None = None,
    staff_id: int | None = None,
    first: datetime | None = None,
    last: datetime | None = None,
    search: str = "",
) -> QuerySet[Appointment]:
    """Return appointments; `status` may be `upcoming`, and they start from `first` to `last`, both included."""
    found = of_status(Appointment.objects.all(), status) if status else Appointment.objects.all()
    found = filter_given(
        found,
        email=None if email is None else email_key(email),
        service=service_id,
        staff=staff_id,
        starts_at__gte=first,
        starts_at__lte=last,
    )
    return matching(found, search) if search.strip() else found


def of_status(found: QuerySet[Appointment], status: str) -> QuerySet[Appointment]:
    """Return those of a status, or the `upcoming` ones."""
    if status == UPCOMING:
        return found.filter(status__in=ACTIVE, starts_at__gt=timezone.now())
    return found.filter(status=status)


def appointments_of(user: Any) -> QuerySet[Appointment]:
    """Return the appointments that an account booked, and those of its confirmed address."""
    return placed_by(Appointment.objects.all(), user)


def in_feed(staff: Staff, *, since: datetime) -> QuerySet[Appointment]:
    """Return the appointments in a staff feed, by start."""
    found = Appointment.objects.filter(staff=staff, starts_at__gte=since, status__in=_IN_FEED)
    return found.order_by("starts_at", "id")


def admin_url(pk: int) -> str:
    """Return the path of an appointment's page in the admin."""
    return reverse("appointments:inspect", args=[pk])


def can_change(appointment: Appointment) -> bool:
    """Return whether its customer may still reschedule or cancel it: the service says until when."""
    until = appointment.starts_at - appointment.service.cancel_notice
    return appointment.is_active and timezone.now() <= until
