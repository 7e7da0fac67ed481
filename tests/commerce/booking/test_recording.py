"""Money for appointments that is recorded by hand: the deposit, parts of the balance, and what is refused."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment
from commerce.booking.services import APPOINTMENTS, cancel_appointment
from commerce.booking.services.housekeeping import lapse_appointments
from commerce.payments.selectors import kept_cents

from .builders import make_appointment, make_service

pytestmark = pytest.mark.usefixtures("booking")


def record(appointment: Appointment, **values: Any) -> Appointment:
    APPOINTMENTS.record_payment(appointment, {"method": "cash", **values})
    appointment.refresh_from_db()
    return appointment


@pytest.mark.both_databases
def test_it_works() -> None:
    booked = make_appointment()
    assert record(booked, amount_cents=2000).balance_due_cents == 3000
    assert record(booked).balance_due_cents == 0
    assert booked.amount_paid_cents == kept_cents("appointment", booked.pk) == 5000
    assert ModelLogEntry.objects.for_instance(booked).filter(action="booking.paid").count() == 2


def test_a_balance_in_dinars_can_always_be_paid_online(settings: Any) -> None:
    settings.SITE_CURRENCY = "kwd"
    booked = make_appointment(make_service(price_cents=9000))
    assert record(booked, amount_cents=1_005).balance_due_cents == 8_000
    assert record(booked).balance_due_cents == 0


@pytest.mark.both_databases
def test_a_deposit_confirms_once_it_is_complete() -> None:
    booked = make_appointment(make_service(deposit_cents=2000))
    assert (record(booked, amount_cents=500).status, booked.deposit_due_cents) == ("pending", 1500)
    assert booked.reserved_until is not None
    assert not OutgoingMail.objects.exists()
    assert (record(booked, amount_cents=1500).status, booked.reserved_until) == ("confirmed", None)
    assert OutgoingMail.objects.filter(template="booking_confirmed").count() == 1


@pytest.mark.both_databases
def test_a_deposit_that_is_paid_in_part_keeps_its_time() -> None:
    booked = record(make_appointment(make_service(deposit_cents=2000)), amount_cents=500)
    long_ago = timezone.now() - timedelta(hours=3)
    Appointment.objects.filter(pk=booked.pk).update(created_at=long_ago, reserved_until=long_ago)
    lapse_appointments()
    booked.refresh_from_db()
    assert (booked.status, booked.slot is not None) == ("pending", True)
    assert record(booked, amount_cents=1500).status == "confirmed"


def test_a_deposit_of_a_request_asks_for_approval() -> None:
    booked = make_appointment(make_service(deposit_cents=2000, requires_approval=True))
    assert (record(booked).status, booked.reserved_until) == ("pending", None)
    assert OutgoingMail.objects.filter(template="booking_requested").exists()


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"method": ""}, "method"),
        ({"method": "online"}, "method"),
        ({"amount_cents": 0}, "amount_cents"),
        ({"amount_cents": -1}, "amount_cents"),
        ({"amount_cents": 5001}, "amount_cents"),
        ({"amount_cents": 10**30}, "amount_cents"),
        ({"reference": "x" * 5000}, "reference"),
        ({"note": "a\0b"}, "note"),
        ({"paid_at": timezone.now() + timedelta(days=2)}, "paid_at"),
    ],
)
def test_what_makes_no_sense_is_refused(values: dict[str, Any], field: str) -> None:
    booked = make_appointment()
    with pytest.raises(Invalid) as refusal:
        record(booked, **values)
    assert list(refusal.value.errors) == [field]
    assert kept_cents("appointment", booked.pk) == 0


def test_nothing_is_recorded_where_nothing_is_due() -> None:
    free, cancelled, asked = (
        make_appointment(make_service(price_cents=0)),
        make_appointment(),
        make_appointment(make_service(requires_approval=True)),
    )
    cancel_appointment(appointment=cancelled)
    for each in (free, cancelled, asked):
        with pytest.raises(Invalid) as refusal:
            record(each)
        assert list(refusal.value.errors) == ["status"]
