"""Bookings by hand, and bookings with anyone."""

from datetime import timedelta

import pytest

from commerce.booking.models import Appointment, BookedSlot
from commerce.booking.services import save_time_off
from tests.people import alice

from .builders import make_appointment, make_code, make_service, make_staff, refusals, utc, weekly

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NINE = utc("2026-03-03 09:00")
QUESTIONS = [{"key": "knee", "label": "Which knee?", "type": "text", "required": True}]


@pytest.mark.both_databases
def test_it_works() -> None:
    """Without hours, notice, deposit, approval and answers; the customer is not the person who books."""
    service = make_service(notice_minutes=60, deposit_cents=1000, requires_approval=True, questions=QUESTIONS)
    staff = make_staff(service, hours=[], is_visible=False)
    save_time_off(values={"staff": staff, "starts_at": NINE, "ends_at": NINE + timedelta(hours=1)})
    booked = make_appointment(service, staff, NINE, by_staff=True, user=alice())
    assert (booked.status, booked.user, booked.deposit_cents, booked.intake) == ("confirmed", None, 0, [])
    assert (booked.price_cents, booked.balance_due_cents) == (5000, 5000)


def test_past_times_can_be_added() -> None:
    booked = make_appointment(starts_at=utc("2026-02-01 09:00"), by_staff=True)
    assert (booked.status, booked.reminded_at is not None) == ("confirmed", True)


@pytest.mark.both_databases
def test_taken_times_cannot() -> None:
    service = make_service(buffer_after_minutes=10)
    staff = make_staff(service, hours=[])
    make_appointment(service, staff, NINE, by_staff=True)
    for minutes in (-60, -30, 0, 30, 69):
        start = NINE + timedelta(minutes=minutes)
        assert list(refusals(lambda start=start: make_appointment(service, staff, start, by_staff=True))) == ["starts_at"]
    for minutes in (-70, 70):
        assert make_appointment(service, staff, NINE + timedelta(minutes=minutes), by_staff=True)


def test_codes_apply() -> None:
    make_code("TEN")
    booked = make_appointment(discount_code="ten", by_staff=True)
    assert (booked.discount_cents, booked.discount_code) == (500, "TEN")


def test_the_one_with_the_fewest_appointments_of_the_day_is_booked() -> None:
    service, other = make_service(), make_service()
    busy, free, never = make_staff(service, other), make_staff(service, other), make_staff(other)
    make_appointment(other, busy, utc("2026-03-03 15:00"))
    assert make_appointment(service, starts_at=NINE).staff == free
    # Now both have one.
    make_appointment(other, free, utc("2026-03-03 16:00"))
    assert make_appointment(service, starts_at=utc("2026-03-03 11:00")).staff == busy
    # Those of another day do not count.
    for hour in (9, 10, 11):
        make_appointment(other, free, utc(f"2026-03-05 {hour:02}:00"))
    booked = [make_appointment(service, starts_at=utc(f"2026-03-03 {hour}:00")).staff for hour in (12, 13, 14, 17)]
    assert booked.count(busy) == booked.count(free) == 2
    assert never not in booked


@pytest.mark.both_databases
def test_the_least_busy_one_who_does_not_work_is_passed_over() -> None:
    service = make_service()
    busy, away = make_staff(service), make_staff(service, hours=weekly("14:00", "15:00"))
    make_appointment(service, busy, utc("2026-03-03 12:00"))
    assert make_appointment(service, starts_at=NINE).staff == busy
    assert away.slots.count() == 0


def test_an_equal_number_is_settled_by_position() -> None:
    service = make_service()
    make_staff(service, position=2)
    first = make_staff(service, position=1)
    assert make_appointment(service, starts_at=NINE).staff == first


def test_a_refused_booking_leaves_nothing() -> None:
    make_code("ONCE", max_uses=1)
    service = make_service()
    make_staff(service)
    make_appointment(service, starts_at=NINE, discount_code="ONCE")
    for values in ({"discount_code": "ONCE"}, {"discount_code": "NONE"}, {"email": "x"}, {"name": ""}, {"total_cents": 1}):
        refusals(lambda values=values: make_appointment(service, starts_at=NINE + timedelta(hours=1), **values))
    assert (Appointment.objects.count(), BookedSlot.objects.count()) == (1, 1)
