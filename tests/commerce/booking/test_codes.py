"""Discount codes of bookings."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.records import delete_record
from commerce.booking.models import Appointment, BookingCode
from commerce.booking.selectors.pricing import quote
from commerce.booking.services import cancel_appointment
from commerce.common.services.discounts import switch_discount_code

from .builders import at, make_appointment, make_code, make_service, make_staff, refusals, utc

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("booking")]


def used() -> int:
    return BookingCode.objects.get().used


@pytest.mark.parametrize(
    ("values", "discount"),
    [
        ({}, 500),
        ({"kind": "amount", "amount_cents": 1234}, 1234),
        ({"kind": "amount", "amount_cents": 99_999}, 5000),
    ],
)
@pytest.mark.both_databases
def test_it_works(values: dict[str, Any], discount: int) -> None:
    make_code("SPRING", **values)
    booked = make_appointment(discount_code=" spring ")
    assert (booked.price_cents, booked.discount_cents, booked.total_cents) == (5000, discount, 5000 - discount)
    assert (booked.discount_code, booked.has_redeemed, used()) == ("SPRING", True, 1)


def test_a_quote_is_what_is_booked() -> None:
    make_code("SPRING")
    service = make_service(price_cents=999)
    offer = quote(service, "spring")
    booked = make_appointment(service, discount_code="spring", total_cents=offer.price.total_cents)
    assert (booked.total_cents, offer.code_problem) == (offer.price.total_cents, "")


@pytest.mark.parametrize(
    "values",
    [
        {"minimum_cents": 5001},
        {"enabled": False},
        {"starts_at": timezone.now() + timedelta(days=1)},
        {"ends_at": timezone.now() - timedelta(days=1)},
    ],
)
def test_codes_that_do_not_apply(values: dict[str, Any]) -> None:
    make_code("SPRING", **values)
    service = make_service()
    assert list(refusals(lambda: make_appointment(service, discount_code="SPRING"))) == ["discount_code"]
    assert quote(service, "SPRING").code_problem
    assert (used(), Appointment.objects.count()) == (0, 0)


def test_a_code_that_is_used_up_and_given_back() -> None:
    make_code("ONCE", max_uses=1)
    first = make_appointment(discount_code="ONCE")
    assert "used up" in refusals(lambda: make_appointment(discount_code="ONCE"))["discount_code"]
    cancel_appointment(appointment=first)
    assert make_appointment(discount_code="ONCE").has_redeemed


@pytest.mark.both_databases
def test_uses_of_one_customer() -> None:
    make_code("TWICE", max_uses_per_customer=2)
    booked = [make_appointment(discount_code="TWICE", email=email) for email in ("dana@example.com", "DANA@example.com")]
    assert list(refusals(lambda: make_appointment(discount_code="TWICE"))) == ["discount_code"]
    assert make_appointment(discount_code="TWICE", email="other@example.com")
    cancel_appointment(appointment=booked[0])
    assert make_appointment(discount_code="TWICE").has_redeemed
    assert used() == 3


def test_a_refused_time_uses_no_code() -> None:
    make_code("ONCE", max_uses=1)
    service = make_service()
    make_staff(service)
    make_appointment(service)
    assert list(refusals(lambda: make_appointment(service, discount_code="ONCE"))) == ["starts_at"]
    assert used() == 0


@pytest.mark.both_databases
def test_a_deleted_code_stays_with_its_appointments() -> None:
    code = make_code("SPRING")
    booked = make_appointment(discount_code="SPRING")
    delete_record(record=code)
    booked.refresh_from_db()
    assert (booked.code, booked.discount_code, booked.discount_cents) == (None, "SPRING", 500)
    assert cancel_appointment(appointment=booked)


@pytest.mark.both_databases
def test_a_disabled_code_is_given_back_all_the_same() -> None:
    code = make_code("SPRING")
    booked = make_appointment(discount_code="SPRING")
    switch_discount_code(code=code, enabled=False)
    cancel_appointment(appointment=booked)
    assert used() == 0


def test_the_window_of_a_code_is_that_of_the_booking_and_not_of_the_appointment(clock: Callable[[str], None]) -> None:
    make_code("MARCH", starts_at=utc("2026-03-01 00:00"), ends_at=utc("2026-03-02 09:00"))
    service = make_service()
    assert make_appointment(service, starts_at=utc("2026-03-20 09:00"), discount_code="MARCH").discount_cents == 500
    clock("2026-03-02 09:00")
    assert list(refusals(lambda: make_appointment(service, starts_at=utc("2026-03-20 10:00"), discount_code="MARCH"))) == [
        "discount_code"
    ]
    assert at(days=0) == utc("2026-03-02 09:00")
