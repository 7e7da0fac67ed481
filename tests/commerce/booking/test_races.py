"""Many at once: no time of a member of staff is given twice, and a class never has more customers than seats."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from django.db.models import F

from cms_api.flags.services import set_setting
from commerce.booking.models import Appointment, BookedSlot, BookingCode, Service, Staff
from commerce.booking.services import book_appointment, booking, cancel_appointment, reschedule_appointment, slots
from commerce.common.services import networks
from tests.client import together
from tests.commerce.shop.outcomes import outcome
from tests.figures import figure
from tests.unprotected import meet_before, without_transactions

from .builders import at, customer, make_appointment, make_code, make_service, make_staff
from .constraints import without_exclusion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("booking")]

VISITORS, SEATS, THREADS = figure(30, 100), 8, 20
TEN = at(hour=10)


def all_at_once(works: Sequence[Callable[[], Any]]) -> Counter[str]:
    """Run all of them in some threads; return how often what came of it."""
    threads = min(THREADS, len(works))
    return sum(together(lambda number: Counter(map(outcome, works[number::threads])), threads), Counter())


def visits(service: Service, number: int, starts_at: datetime = TEN, **more: Any) -> list[Callable[[], Any]]:
    """Bookings of so many visitors."""
    return [
        partial(make_appointment, service, None, starts_at, email=f"visitor{each}@example.com", **more) for each in range(number)
    ]


def assert_nothing_overlaps() -> None:
    for staff in Staff.objects.all():
        taken = BookedSlot.objects.filter(staff=staff).order_by("occupied_from")
        assert not [(one, other) for one, other in pairwise(taken) if one.occupied_until > other.occupied_from]


def assert_seats_are_counted() -> None:
    """Every slot has as many seats taken as there are active appointments in it."""
    counted = Counter(Appointment.objects.exclude(slot=None).values_list("slot", flat=True))
    assert dict(BookedSlot.objects.values_list("pk", "seats_taken")) == counted


def test_a_form_that_is_sent_many_times_at_once_books_once() -> None:
    service = make_service()
    for _ in range(4):
        make_staff(service)
    sent = partial(book_appointment, service=service, starts_at=TEN, values=customer(), form_key="a form")
    assert all_at_once([sent] * 12) == {"done": 12}
    assert (Appointment.objects.count(), BookedSlot.objects.count()) == (1, 1)


def test_one_of_many_visitors_gets_the_slot() -> None:
    service = make_service()
    make_staff(service)
    assert all_at_once(visits(service, VISITORS)) == {"done": 1, "starts_at": VISITORS - 1}
    assert (Appointment.objects.get().status, BookedSlot.objects.count()) == ("confirmed", 1)


def of_one_network(number: int) -> list[Callable[[], Any]]:
    """Bookings from one network, each of another member of staff, so that they lock no row in common; five are allowed."""
    set_setting(key="payments.unpaid_bookings_per_network", value=5)
    works = []
    for _ in range(number):
        service = make_service(price_cents=0)
        make_staff(service)
        works.append(partial(book_appointment, service=service, starts_at=TEN, values=customer(), network="a"))
    return works


def test_one_network_books_no_more_at_once_than_one_after_another() -> None:
    works = of_one_network(8)
    assert set(together(lambda number: outcome(works[number]), 8)) <= {"done", "network"}
    assert Appointment.objects.count() <= 5
    assert [outcome(work) for work in of_one_network(6)][-1] == "network"
    assert Appointment.objects.count() == 5


def test_control_without_transactions_one_network_books_more(monkeypatch: pytest.MonkeyPatch) -> None:
    works = of_one_network(8)
    without_transactions(monkeypatch)
    monkeypatch.setattr(networks, "claim_in_transaction", lambda name: True)
    meet_before(monkeypatch, booking, "fill_appointment", threads=8)
    assert together(lambda number: outcome(works[number]), 8) == ["done"] * 8


def test_one_of_many_visitors_waits_for_a_deposit() -> None:
    service = make_service(deposit_cents=1000)
    make_staff(service)
    assert all_at_once(visits(service, VISITORS)) == {"done": 1, "starts_at": VISITORS - 1}
    assert Appointment.objects.get().status == "pending"


def test_services_of_other_lengths_never_overlap() -> None:
    services = [
        make_service(duration_minutes=length, step_minutes=15, buffer_before_minutes=5, buffer_after_minutes=10)
        for length in (15, 30, 50, 90)
    ]
    make_staff(*services)
    starts = [TEN + timedelta(minutes=15 * number) for number in range(16)]
    works = [work for place, start in enumerate(starts) for work in visits(services[place % 4], 4, start)]
    found = all_at_once(works[::3] + works[1::3] + works[2::3])
    assert set(found) == {"done", "starts_at"}
    assert found["done"] == BookedSlot.objects.count() == Appointment.objects.count() > 2
    assert_nothing_overlaps()


def test_a_class_of_eight_seats_has_eight_customers() -> None:
    service = make_service(capacity=SEATS)
    make_staff(service)
    assert all_at_once(visits(service, VISITORS)) == {"done": SEATS, "starts_at": VISITORS - SEATS}
    assert (BookedSlot.objects.get().seats_taken, Appointment.objects.count()) == (SEATS, SEATS)


def test_staff_who_add_customers_to_a_class_cannot_exceed_it() -> None:
    service = make_service(capacity=SEATS)
    make_staff(service)
    assert all_at_once(visits(service, 40, by_staff=True)) == {"done": SEATS, "starts_at": 40 - SEATS}
    assert_seats_are_counted()


def test_three_of_anyone_are_three() -> None:
    service = make_service()
    staff = {make_staff(service).pk for _ in range(3)}
    assert all_at_once(visits(service, VISITORS)) == {"done": 3, "starts_at": VISITORS - 3}
    assert set(BookedSlot.objects.values_list("staff", flat=True)) == staff


def test_customers_leave_a_class_while_others_join() -> None:
    service = make_service(capacity=SEATS)
    make_staff(service)
    booked = [make_appointment(service, starts_at=TEN) for _ in range(SEATS - 1)]
    leaving = [partial(cancel_appointment, appointment=each) for each in booked]
    joining = visits(service, 30)
    found = all_at_once([work for pair in zip(leaving, joining, strict=False) for work in pair] + joining[len(leaving) :])
    assert_seats_are_counted()
    active = Appointment.objects.filter(status="confirmed")
    assert found["done"] == len(booked) + active.count()
    assert 0 < active.count() == BookedSlot.objects.get().seats_taken <= SEATS


def test_moving_and_booking_at_once() -> None:
    """Five appointments are moved to a time that visitors book: one of all gets it, and the others stay."""
    service = make_service()
    make_staff(service)
    booked = [make_appointment(service, starts_at=TEN + timedelta(hours=number)) for number in range(1, 6)]
    moving = [partial(reschedule_appointment, appointment=each, starts_at=TEN) for each in booked]
    assert all_at_once([*moving, *visits(service, 25)]) == {"done": 1, "starts_at": 29}
    assert Appointment.objects.filter(starts_at=TEN).count() == 1
    assert_nothing_overlaps()
    assert_seats_are_counted()


def test_swapping_staff_does_not_deadlock() -> None:
    """Everybody moves to the next member of staff, round in a circle."""
    service = make_service()
    staff = [make_staff(service) for _ in range(6)]
    booked = [make_appointment(service, each, at(hour=10 + 2 * place)) for place, each in enumerate(staff)]
    moves = [
        partial(reschedule_appointment, appointment=each, staff=staff[place - 5], starts_at=each.starts_at)
        for place, each in enumerate(booked)
    ]
    assert all_at_once(moves) == {"done": 6}
    assert [Appointment.objects.get(pk=each.pk).staff for each in booked] == [*staff[1:], staff[0]]
    assert_seats_are_counted()


@pytest.mark.parametrize("limit", ["max_uses", "max_uses_per_customer"])
def test_a_code_for_one_booking_is_used_once(limit: str) -> None:
    make_code("ONCE", **{limit: 1})
    service = make_service()
    for _ in range(3):
        make_staff(service)
    book = partial(make_appointment, service, None, TEN, discount_code="ONCE")
    found = all_at_once([book] * THREADS)
    assert found["done"] == 1
    assert (BookingCode.objects.get().used, Appointment.objects.get().discount_cents) == (1, 500)


def test_cancelling_and_booking_with_one_code_do_not_deadlock() -> None:
    """Both lock the member of staff before the code."""
    make_code("SPRING")
    service = make_service(capacity=30)
    make_staff(service)
    booked = [make_appointment(service, starts_at=TEN, discount_code="SPRING") for _ in range(10)]
    leaving = [partial(cancel_appointment, appointment=each) for each in booked]
    joining = visits(service, 10, discount_code="SPRING")
    assert all_at_once([work for pair in zip(leaving, joining, strict=True) for work in pair]) == {"done": 20}
    assert BookingCode.objects.get().used == BookedSlot.objects.get().seats_taken == 10


def overlapping(service: Service, number: int) -> list[Callable[[], Any]]:
    """Bookings of an hour, each five minutes after the other."""
    return [work for place in range(number) for work in visits(service, 1, TEN + timedelta(minutes=5 * place))]


def unlock(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of six have looked, and found the time free, before one of them writes."""
    without_transactions(monkeypatch)
    meet_before(monkeypatch, BookedSlot, "save", threads=6)


def test_control_without_the_lock_times_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """On PostgreSQL, where the exclusion constraint would stop them, it is dropped for this test."""
    service = make_service(step_minutes=5)
    make_staff(service)
    with without_exclusion():
        unlock(monkeypatch)
        assert all_at_once(overlapping(service, 6)) == {"done": 6}
        with pytest.raises(AssertionError):
            assert_nothing_overlaps()


def test_control_without_the_lock_moves_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    service = make_service(step_minutes=5)
    make_staff(service)
    booked = [make_appointment(service, starts_at=TEN + timedelta(hours=2 * number)) for number in range(1, 7)]
    moves = [
        partial(reschedule_appointment, appointment=each, starts_at=TEN + timedelta(minutes=5 * place))
        for place, each in enumerate(booked)
    ]
    with without_exclusion():
        unlock(monkeypatch)
        assert all_at_once(moves) == {"done": 6}
        with pytest.raises(AssertionError):
            assert_nothing_overlaps()


def test_without_the_lock_a_constraint_refuses_the_same_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """No control: on both databases, the unique constraint is a second line behind the lock."""
    service = make_service()
    make_staff(service)
    unlock(monkeypatch)
    assert all_at_once(visits(service, 6)) == {"done": 1, "starts_at": 5}


def test_control_counting_seats_before_the_write_overbooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the lock, and with a seat taken by everybody who has seen one."""
    service = make_service(capacity=SEATS)
    make_staff(service)
    for _ in range(SEATS - 1):
        make_appointment(service, starts_at=TEN)

    def look_then_write(service: Service, starts_at: datetime, staff: Staff, *_: Any) -> BookedSlot:
        slot = BookedSlot.objects.get(staff=staff, starts_at=starts_at)
        if slot.seats_taken >= service.capacity:
            raise slots._Taken
        return write(slot)

    class Writing:
        @staticmethod
        def write(slot: BookedSlot) -> BookedSlot:
            BookedSlot.objects.filter(pk=slot.pk).update(seats_taken=F("seats_taken") + 1)
            return slot

    without_transactions(monkeypatch)
    meet_before(monkeypatch, Writing, "write", threads=6)
    write = Writing.write
    monkeypatch.setattr(slots, "_take", look_then_write)
    assert all_at_once(visits(service, 6)) == {"done": 6}
    assert BookedSlot.objects.get().seats_taken > SEATS


def test_control_giving_seats_back_by_what_was_read_loses_some(monkeypatch: pytest.MonkeyPatch) -> None:
    service = make_service(capacity=SEATS)
    make_staff(service)
    booked = [make_appointment(service, starts_at=TEN) for _ in range(SEATS)]

    def read_then_write(slot: BookedSlot) -> None:
        slot.seats_taken -= 1
        slot.save()

    monkeypatch.setattr(slots, "give_back_slot", read_then_write)
    without_transactions(monkeypatch)
    meet_before(monkeypatch, slots, "give_back_slot", threads=6)
    assert all_at_once([partial(cancel_appointment, appointment=each) for each in booked[:6]]) == {"done": 6}
    assert BookedSlot.objects.get().seats_taken == SEATS - 1
    with pytest.raises(AssertionError):
        assert_seats_are_counted()
