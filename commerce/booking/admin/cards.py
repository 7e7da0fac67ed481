"""The admin home's cards for booking, and its first steps."""

from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.cards import Card, Step, count_up_to_max
from commerce.common.types.spans import moment

from ..models import Appointment, Service, Staff
from ..types.appointments import ACTIVE, AppointmentStatus
from .parameters import bounds_of, today


def todays_appointments(request: HttpRequest) -> Card:
    first, last = (moment(each) for each in bounds_of(today()))
    of_today = Appointment.objects.filter(starts_at__gte=first, starts_at__lt=last, status__in=ACTIVE)
    return Card(
        "Appointments today",
        reverse("appointments:calendar"),
        text="Pending or confirmed.",
        icon="calendar",
        count=count_up_to_max(of_today),
    )


def pending_appointments(request: HttpRequest) -> Card:
    """Appointments that wait for somebody to confirm them."""
    waiting = Appointment.objects.filter(status=AppointmentStatus.PENDING, requires_approval=True, reserved_until=None)
    return Card(
        "Appointments awaiting approval",
        set_query_params(reverse("appointments:index"), {"status": AppointmentStatus.PENDING.value}),
        text="Confirm or cancel them.",
        icon="calendar",
        count=count_up_to_max(waiting),
    )


def calendars(request: HttpRequest) -> Card:
    """Outside calendars that cannot be read."""
    return Card(
        "Outside calendars that can't be read",
        reverse("booking_staff:index"),
        text="Busy times may be out of date. Check the addresses.",
        icon="warning",
        urgent=True,
        count=count_up_to_max(Staff.objects.exclude(calendar_url="").exclude(calendar_error="")),
    )


def add_service(request: HttpRequest) -> Step:
    text = "Its duration, price and rules."
    return Step("Add a service to book", reverse("booking_services:add"), text, done=Service.objects.exists(), order=60)


def add_staff(request: HttpRequest) -> Step:
    text = "The services they offer, and their hours."
    return Step("Add staff", reverse("booking_staff:add"), text, done=Staff.objects.exists(), order=61)
