"""Classes: customers share a slot, and each can leave it alone."""

from collections.abc import Callable

import pytest

from commerce.booking.models import Appointment, BookedSlot, Service
from commerce.booking.selectors.availability import Opening, openings
from commerce.booking.services import cancel_appointment, reschedule_appointment, save_service, save_time_off

from .builders import make_appointment, make_service, make_staff, refusals, utc, weekly

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NINE, TEN = utc("2026-03-03 09:00"), utc("2026-03-03 10:00")


def a_class(seats: int = 3, **values: object) -> Service:
    service = make_service(capacity=seats, **values)
    make_staff(service, hours=weekly("09:00", "12:00"))
    return service


def seats(service: Service) -> dict[int, int]:
    """The seats left by hour of the day."""
    found = openings(service, list(service.staff.all()), utc("2026-03-03 00:00"), utc("2026-03-04 00:00"))
    return {each.starts_at.hour: each.seats for each in found}


def join(service: Service, number: int = 1, **more: object) -> list[Appointment]:
    return [make_appointment(service, starts_at=NINE, **more) for _ in range(number)]  # type: ignore[arg-type]


@pytest.mark.both_databases
def test_it_works() -> None:
    service = a_class()
    assert seats(service) == {9: 3, 10: 3, 11: 3}
    first, second = join(service, 2)
    assert first.slot == second.slot
    assert seats(service) == {9: 1, 10: 3, 11: 3}
    join(service)
    assert seats(service) == {10: 3, 11: 3}
    assert list(refusals(lambda: join(service))) == ["starts_at"]
    assert list(refusals(lambda: join(service, by_staff=True))) == ["starts_at"]


def test_leaving_gives_back_a_seat_and_the_last_one_the_time() -> None:
    service = a_class()
    booked = join(service, 2)
    cancel_appointment(appointment=booked[0])
    assert (BookedSlot.objects.get().seats_taken, seats(service)[9]) == (1, 2)
    booked[1].refresh_from_db()
    assert booked[1].status == "confirmed"
    cancel_appointment(appointment=booked[1])
    assert not BookedSlot.objects.exists()


def test_two_members_of_staff_have_classes_of_their_own() -> None:
    service = a_class(2)
    other = make_staff(service)
    join(service, 2, staff=service.staff.first())
    booked = make_appointment(service, starts_at=NINE)
    assert booked.staff == other
    found = openings(service, list(service.staff.all()), NINE, TEN)
    assert found == [Opening(NINE, other.pk, 1)]


@pytest.mark.both_databases
def test_moving_between_classes() -> None:
    service = a_class(2)
    mover, stays = join(service, 2)
    make_appointment(service, starts_at=TEN)
    moved = reschedule_appointment(appointment=mover, starts_at=TEN, by_customer=True)
    assert (moved.starts_at, seats(service)) == (TEN, {9: 1, 11: 2})
    assert list(refusals(lambda: reschedule_appointment(appointment=stays, starts_at=TEN))) == ["starts_at"]
    back = reschedule_appointment(appointment=moved, starts_at=NINE)
    assert (back.slot, seats(service)) == (stays.slot, {10: 1, 11: 2})


def test_the_only_customer_takes_the_class_along() -> None:
    service = a_class(2, step_minutes=30, cancel_notice_hours=0)
    (mover,) = join(service)
    slot = mover.slot
    moved = reschedule_appointment(appointment=mover, starts_at=utc("2026-03-03 09:30"), by_customer=True)
    assert moved.slot == slot
    assert BookedSlot.objects.get().starts_at == utc("2026-03-03 09:30")


def test_one_of_two_cannot_move_by_half_the_length() -> None:
    service = a_class(3, step_minutes=30)
    mover, _ = join(service, 2)
    half = utc("2026-03-03 09:30")
    for by_customer in (True, False):
        problem = refusals(
            lambda by_customer=by_customer: reschedule_appointment(appointment=mover, starts_at=half, by_customer=by_customer)
        )
        assert list(problem) == ["starts_at"]
    assert (BookedSlot.objects.get().seats_taken, BookedSlot.objects.get().starts_at) == (2, NINE)


@pytest.mark.both_databases
def test_another_service_does_not_share_the_time() -> None:
    service = a_class()
    other = make_service(capacity=3)
    staff = service.staff.get()
    staff.services.add(other)
    join(service)
    assert list(refusals(lambda: make_appointment(other, staff, NINE))) == ["starts_at"]


def test_fewer_seats_than_customers() -> None:
    service = a_class()
    booked = join(service, 3)
    for capacity in (2, 1):
        save_service(service=service, values={"capacity": capacity})
        service.refresh_from_db()
        assert 9 not in seats(service)
        assert list(refusals(lambda: join(service, by_staff=True))) == ["starts_at"]
    for each in booked:
        cancel_appointment(appointment=each)
    assert seats(service)[9] == 1


@pytest.mark.both_databases
def test_a_class_that_grows_longer_keeps_the_time_of_its_customers() -> None:
    service = a_class()
    join(service)
    save_service(service=service, values={"duration_minutes": 90, "step_minutes": 60})
    service.refresh_from_db()
    (late,) = join(service)
    assert (late.ends_at, seats(service)) == (TEN, {9: 1, 10: 3})


def test_nobody_joins_in_a_time_off_and_too_late(clock: Callable[[str], None]) -> None:
    service = a_class(notice_minutes=60)
    join(service)
    clock("2026-03-03 08:01")
    assert seats(service) == {10: 3, 11: 3}
    assert list(refusals(lambda: join(service))) == ["starts_at"]
    clock("2026-03-03 07:59")
    assert seats(service)[9] == 2
    save_time_off(values={"staff": None, "starts_at": NINE, "ends_at": TEN})
    assert 9 not in seats(service)
    assert list(refusals(lambda: join(service))) == ["starts_at"]
    assert join(service, by_staff=True)


def test_a_class_outside_of_working_hours_can_be_joined() -> None:
    """Staff have added it by hand."""
    service = a_class()
    make_appointment(service, starts_at=utc("2026-03-03 20:00"), by_staff=True)
    assert seats(service)[20] == 2
    assert make_appointment(service, starts_at=utc("2026-03-03 20:00")).status == "confirmed"
