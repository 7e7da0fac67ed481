"""Appointments that are not paid, made from one network within a day, are limited."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting
from commerce.booking.models import Appointment, Service
from commerce.booking.services import book_appointment, cancel_appointment, confirm_appointment
from commerce.booking.services.housekeeping import forget_networks_of_appointments
from tests import people

from .builders import at, customer, make_service, make_staff, pay, refusals

pytestmark = pytest.mark.usefixtures("booking")


@pytest.fixture(autouse=True)
def five_bookings(db: None) -> None:
    set_setting(key="payments.unpaid_bookings_per_network", value=5)


def book(service: Service, day: int, network: str = "a", user: Any = None) -> Appointment:
    return book_appointment(service=service, starts_at=at(days=day), values=customer(), network=network, user=user)


@pytest.mark.parametrize("values", [{"deposit_cents": 2000}, {"requires_approval": True}, {"price_cents": 0}])
@pytest.mark.both_databases
def test_it_works(values: dict[str, int]) -> None:
    service = make_service(**values)
    make_staff(service)
    for day in range(1, 6):
        book(service, day)
    assert "network" in refusals(lambda: book(service, 6))
    assert Appointment.objects.count() == 5
    for day, network in ((6, "b"), (7, "")):
        book(service, day, network)


def test_what_is_paid_does_not_count() -> None:
    service = make_service(deposit_cents=2000)
    make_staff(service)
    for day in range(1, 8):
        appointment = book(service, day)
        pay(appointment)
        assert appointment.network == ""


def test_people_who_have_confirmed_their_address_and_staff_are_not_limited() -> None:
    service = make_service(price_cents=0)
    make_staff(service)
    member = create_member(email="dana@example.com", password=people.PASSWORD)
    for day in range(1, 7):
        assert book(service, day, user=member).network == ""
    for day in range(7, 13):
        assert book(service, day, user=people.alice()).network == ""
    other = create_member(email="other@example.com", password=people.PASSWORD)
    for day in range(13, 18):
        book(service, day, user=other)
    assert "network" in refusals(lambda: book(service, 18, user=other))


def test_what_is_cancelled_confirmed_by_staff_or_of_another_day_does_not_count() -> None:
    service = make_service(price_cents=0)
    waiting = make_service(requires_approval=True)
    make_staff(service, waiting)
    made = [book(service, day) for day in range(1, 5)]
    approved = book(waiting, 5)
    assert "network" in refusals(lambda: book(service, 6))
    assert confirm_appointment(appointment=approved)
    book(service, 6)
    cancel_appointment(appointment=made[0])
    book(service, 7)
    assert "network" in refusals(lambda: book(service, 8))
    Appointment.objects.update(created_at=timezone.now() - timedelta(days=1))
    book(service, 8)
    forget_networks_of_appointments()
    assert Appointment.objects.exclude(network="").count() == 1


def test_without_a_limit() -> None:
    set_setting(key="payments.unpaid_bookings_per_network", value=0)
    service = make_service(price_cents=0)
    make_staff(service)
    for day in range(1, 8):
        book(service, day)


def test_a_deposit_does_not_keep_a_time_for_ever() -> None:
    """However often its payment is begun."""
    service = make_service(deposit_cents=2000)
    make_staff(service)
    appointment = book(service, 1)
    Appointment.objects.update(created_at=timezone.now() - timedelta(hours=2, minutes=1))
    assert "status" in refusals(lambda: pay(appointment))
