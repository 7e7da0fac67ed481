"""Booking a service: what is stored, who hears of it, and what is refused."""

from datetime import timedelta

import pytest

from cms_api.core.errors import Invalid
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.booking.models import Appointment, BookedSlot
from commerce.booking.services import book_appointment, cancel_appointment, reschedule_appointment

from .builders import at, customer, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")


@pytest.mark.both_databases
def test_it_works() -> None:
    service = make_service("Massage", buffer_before_minutes=5, buffer_after_minutes=15, location="14 Canal Street")
    staff = make_staff(service, name="Robin Vale")
    booked = make_appointment(service)
    assert (booked.status, booked.service_name, booked.staff_name) == ("confirmed", "Massage", "Robin Vale")
    assert (booked.starts_at, booked.ends_at, booked.timezone) == (at(), at(hour=10), "America/New_York")
    assert (booked.price_cents, booked.deposit_cents, booked.balance_due_cents) == (5000, 0, 5000)
    slot = BookedSlot.objects.get()
    assert (slot.staff, slot.occupied_from, slot.occupied_until) == (staff, at(hour=8, minute=55), at(hour=10, minute=15))
    assert list(OutboxEvent.objects.values_list("kind", flat=True)) == ["booking.created"]
    assert list(OutgoingMail.objects.values_list("recipient", "template")) == [("dana@example.com", "booking_confirmed")]


@pytest.mark.both_databases
def test_a_time_is_given_once() -> None:
    service = make_service()
    make_appointment(service)
    with pytest.raises(Invalid) as refusal:
        make_appointment(service, email="other@example.com")
    assert list(refusal.value.errors) == ["starts_at"]


@pytest.mark.both_databases
def test_anyone_is_the_one_who_is_free() -> None:
    service = make_service()
    staff = [make_staff(service), make_staff(service)]
    booked = [make_appointment(service) for _ in staff]
    assert {each.staff for each in booked} == set(staff)


def test_it_is_moved_by_half_its_length() -> None:
    booked = make_appointment()
    moved = reschedule_appointment(appointment=booked, starts_at=at() + timedelta(minutes=30))
    assert (moved.starts_at, moved.sequence) == (at(hour=9, minute=30), 1)
    assert BookedSlot.objects.get().starts_at == at(hour=9, minute=30)


@pytest.mark.both_databases
def test_a_cancelled_time_can_be_booked_again() -> None:
    booked = make_appointment()
    assert cancel_appointment(appointment=booked) is True
    assert cancel_appointment(appointment=booked) is False
    assert not BookedSlot.objects.exists()
    assert make_appointment(booked.service).pk != booked.pk


def test_a_class_has_seats() -> None:
    service = make_service(capacity=3)
    staff = make_staff(service)
    booked = [make_appointment(service, email=f"{number}@example.com") for number in range(3)]
    assert BookedSlot.objects.get().seats_taken == 3
    with pytest.raises(Invalid):
        make_appointment(service, email="late@example.com")
    cancel_appointment(appointment=booked[0])
    assert make_appointment(service, staff).status == "confirmed"


def test_a_deposit_is_waited_for() -> None:
    booked = make_appointment(make_service(deposit_cents=2000))
    assert (booked.status, booked.deposit_cents, booked.confirmed_at) == ("pending", 2000, None)
    assert booked.reserved_until is not None
    assert not OutboxEvent.objects.exists()
    assert not OutgoingMail.objects.exists()


@pytest.mark.both_databases
def test_times_that_are_not_on_offer_are_refused() -> None:
    service = make_service(notice_minutes=120)
    make_staff(service)
    for wrong in (at(minute=10), at(days=0, hour=0), at(days=100)):
        with pytest.raises(Invalid) as refusal:
            book_appointment(service=service, starts_at=wrong, values=customer())
        assert list(refusal.value.errors) == ["starts_at"]
    assert not Appointment.objects.exists()
