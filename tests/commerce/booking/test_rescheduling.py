"""Appointments at another time, or with another member of staff."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from cms_api.webhooks.models import OutboxEvent
from commerce.booking.models import Appointment, BookedSlot
from commerce.booking.selectors.appointments import appointments
from commerce.booking.selectors.availability import openings
from commerce.booking.services import (
    cancel_appointment,
    complete_appointment,
    mark_no_show,
    reschedule_appointment,
    save_service,
)

from .builders import make_appointment, make_code, make_service, make_staff, refusals, utc, weekly

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NINE, NOON = utc("2026-03-04 09:00"), utc("2026-03-04 12:00")


def booked(**changes: object) -> Appointment:
    service = make_service(**changes)
    make_staff(service)
    return make_appointment(service, starts_at=NINE)


@pytest.mark.both_databases
def test_it_works() -> None:
    appointment = booked(buffer_before_minutes=10)
    slot = appointment.slot
    moved = reschedule_appointment(appointment=appointment, starts_at=NOON, by_customer=True, timezone_name="Asia/Kathmandu")
    assert (moved.starts_at, moved.ends_at, moved.timezone) == (NOON, NOON + timedelta(hours=1), "Asia/Kathmandu")
    assert (moved.status, moved.sequence, moved.staff) == ("confirmed", 1, appointment.staff)
    assert moved.slot == slot
    stored = BookedSlot.objects.get()
    assert (stored.starts_at, stored.occupied_from) == (NOON, NOON - timedelta(minutes=10))
    assert list(OutboxEvent.objects.values_list("kind", flat=True)) == ["booking.created"]


@pytest.mark.both_databases
def test_with_another_member_of_staff() -> None:
    appointment = booked()
    other = make_staff(appointment.service, name="Quentin Oduya")
    moved = reschedule_appointment(appointment=appointment, starts_at=NINE, staff=other, by_customer=True)
    assert (moved.staff, moved.staff_name, BookedSlot.objects.get().staff) == (other, "Quentin Oduya", other)
    assert list(appointments(search="quentin")) == [moved]


@pytest.mark.parametrize("by_customer", [True, False])
def test_the_same_time_is_no_move(by_customer: bool) -> None:
    appointment = booked()
    for staff in (None, appointment.staff):
        problem = refusals(
            lambda staff=staff: reschedule_appointment(
                appointment=appointment, starts_at=NINE, staff=staff, by_customer=by_customer
            )
        )
        assert problem == {"starts_at": "Choose another time."}


@pytest.mark.parametrize("by_customer", [True, False])
def test_a_taken_time_is_refused_and_nothing_changes(by_customer: bool) -> None:
    appointment = booked()
    make_appointment(appointment.service, starts_at=NOON)
    problem = refusals(lambda: reschedule_appointment(appointment=appointment, starts_at=NOON, by_customer=by_customer))
    assert list(problem) == ["starts_at"]
    appointment.refresh_from_db()
    assert (appointment.starts_at, appointment.sequence, BookedSlot.objects.count()) == (NINE, 0, 2)


def test_customers_move_within_the_rules_and_staff_anywhere() -> None:
    service = make_service(notice_minutes=120)
    staff = make_staff(service, hours=weekly("09:00", "17:00"))
    appointment = make_appointment(service, staff, NINE)
    for wrong in ("2026-03-04 18:00", "2026-03-04 09:30", "2026-03-02 09:00", "2026-03-01 09:00", "2028-03-01 09:00"):
        problem = refusals(
            lambda wrong=wrong: reschedule_appointment(appointment=appointment, starts_at=utc(wrong), by_customer=True)
        )
        assert list(problem) == ["starts_at"], wrong
        assert reschedule_appointment(appointment=appointment, starts_at=utc(wrong)).starts_at == utc(wrong)
        reschedule_appointment(appointment=appointment, starts_at=NINE)


def test_too_late(clock: Callable[[str], None]) -> None:
    appointment = booked(cancel_notice_hours=24)
    clock("2026-03-03 09:01")
    assert list(refusals(lambda: reschedule_appointment(appointment=appointment, starts_at=NOON, by_customer=True))) == ["status"]
    assert reschedule_appointment(appointment=appointment, starts_at=NOON)
    clock("2026-03-03 12:00")
    assert reschedule_appointment(appointment=appointment, starts_at=NINE, by_customer=True)


def test_staff_who_do_not_offer_the_service_or_are_hidden() -> None:
    appointment = booked()
    stranger, hidden = make_staff(), make_staff(appointment.service, is_visible=False)
    for staff, by_customer in ((stranger, True), (stranger, False), (hidden, True)):
        problem = refusals(
            lambda staff=staff, by_customer=by_customer: reschedule_appointment(
                appointment=appointment, starts_at=NOON, staff=staff, by_customer=by_customer
            )
        )
        assert list(problem) == ["staff"]
    assert reschedule_appointment(appointment=appointment, starts_at=NOON, staff=hidden).staff == hidden


@pytest.mark.parametrize("end", [cancel_appointment, complete_appointment, mark_no_show])
def test_what_is_over_cannot_be_moved(end: Callable[..., object]) -> None:
    appointment = booked()
    end(appointment=appointment)
    for by_customer in (True, False):
        problem = refusals(
            lambda by_customer=by_customer: reschedule_appointment(
                appointment=appointment, starts_at=NOON, by_customer=by_customer
            )
        )
        assert list(problem) == ["status"]


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc", "UTC\0"])
@pytest.mark.both_databases
def test_an_unknown_zone_is_refused(zone: str) -> None:
    appointment = booked()
    problem = refusals(lambda: reschedule_appointment(appointment=appointment, starts_at=NOON, timezone_name=zone))
    assert list(problem) == ["timezone"]


@pytest.mark.both_databases
def test_the_price_the_code_and_the_length_stay() -> None:
    make_code("ONCE", max_uses=1)
    service = make_service()
    make_staff(service)
    appointment = make_appointment(service, starts_at=NINE, discount_code="ONCE")
    save_service(service=service, values={"price_cents": 9000, "duration_minutes": 90})
    moved = reschedule_appointment(appointment=appointment, starts_at=NOON)
    assert (moved.price_cents, moved.discount_cents, moved.has_redeemed) == (5000, 500, True)
    assert moved.duration_minutes == 60


@pytest.mark.parametrize("by_customer", [True, False])
@pytest.mark.both_databases
def test_a_shorter_service_does_not_shorten_what_was_booked(by_customer: bool) -> None:
    """The minutes that are kept free around it are those of the service now."""
    appointment = booked(duration_minutes=120, step_minutes=60, price_cents=12_000)
    changes = {"duration_minutes": 30, "price_cents": 3000, "buffer_after_minutes": 15}
    save_service(service=appointment.service, values=changes)
    moved = reschedule_appointment(appointment=appointment, starts_at=NOON, by_customer=by_customer)
    assert (moved.duration_minutes, moved.price_cents) == (120, 12_000)
    slot = BookedSlot.objects.get()
    assert (slot.starts_at, slot.ends_at) == (NOON, NOON + timedelta(hours=2))
    assert slot.occupied_until == NOON + timedelta(hours=2, minutes=15)


@pytest.mark.both_databases
def test_customers_move_to_times_that_fit_what_they_booked() -> None:
    service = make_service(duration_minutes=120, step_minutes=30)
    staff = make_staff(service, hours=weekly("09:00", "17:00"))
    appointment = make_appointment(service, staff, NINE)
    service = save_service(service=service, values={"duration_minutes": 30})
    make_appointment(service, staff, utc("2026-03-04 13:00"))

    def move(wanted: str) -> None:
        reschedule_appointment(appointment=appointment, starts_at=utc(wanted), by_customer=True)

    found = openings(service, [staff], NINE, NINE + timedelta(days=1), moving=appointment.slot)
    on_offer = [f"{each.starts_at:%H:%M}" for each in found]
    assert on_offer == ["09:00", "09:30", "10:00", "10:30", "11:00", "13:30", "14:00", "14:30", "15:00"]
    for wrong in ("11:30", "12:30", "15:30", "16:30"):
        assert list(refusals(lambda wrong=wrong: move(f"2026-03-04 {wrong}"))) == ["starts_at"], wrong
    move("2026-03-04 15:00")


@pytest.mark.both_databases
def test_customers_move_to_classes_that_last_as_long() -> None:
    """Staff may move them to any."""
    service = make_service(duration_minutes=120, step_minutes=60, capacity=5)
    staff = make_staff(service)
    appointment = make_appointment(service, staff, NINE)
    long = make_appointment(service, staff, NOON)
    service = save_service(service=service, values={"duration_minutes": 30})
    short = make_appointment(service, staff, utc("2026-03-04 16:00"))
    sixteen = short.starts_at
    assert list(refusals(lambda: reschedule_appointment(appointment=appointment, starts_at=sixteen, by_customer=True))) == [
        "starts_at"
    ]
    moved = reschedule_appointment(appointment=appointment, starts_at=NOON, by_customer=True)
    assert (moved.slot, moved.duration_minutes) == (long.slot, 120)
    moved = reschedule_appointment(appointment=appointment, starts_at=sixteen)
    assert (moved.slot, moved.duration_minutes) == (short.slot, 30)


@pytest.mark.parametrize("minutes", [-30, 30])
def test_by_half_its_length_into_a_neighbour(minutes: int) -> None:
    """Its own time does not stand in the way, but that of others does."""
    service = make_service(step_minutes=30)
    make_staff(service)
    appointment = make_appointment(service, starts_at=NINE)
    half = NINE + timedelta(minutes=minutes)
    assert reschedule_appointment(appointment=appointment, starts_at=half, by_customer=True)
    reschedule_appointment(appointment=appointment, starts_at=NINE)
    make_appointment(service, starts_at=NINE + timedelta(minutes=2 * minutes))
    assert list(refusals(lambda: reschedule_appointment(appointment=appointment, starts_at=half, by_customer=True))) == [
        "starts_at"
    ]
