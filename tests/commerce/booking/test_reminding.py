"""Reminders: each once, before the appointment, and none where nothing is expected."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment
from commerce.booking.services import cancel_appointment, complete_appointment, reschedule_appointment
from commerce.booking.services.reminding import remind_customers
from tests import people

from .builders import make_appointment, make_service, utc

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

#: It is the second of March, at eight.
START = utc("2026-03-06 09:00")

Hours = Callable[[], list[int]]


@pytest.fixture
def hours(clock: Callable[[str], None]) -> Callable[[datetime], list[int]]:
    """Run the job twice in each hour until a start has passed; return how many hours before it a reminder was sent."""

    def run(start: datetime) -> list[int]:
        found = []
        now = utc("2026-03-02 08:00")
        while now < start + timedelta(hours=2):
            now += timedelta(hours=1)
            clock(f"{now:%Y-%m-%d %H:%M}")
            before = sent()
            remind_customers()
            remind_customers()
            found += [(start - now) // timedelta(hours=1)] * (sent() - before)
        return found

    return run


def sent() -> int:
    return OutgoingMail.objects.filter(template="booking_reminder").count()


@pytest.mark.both_databases
def test_reminders_of_addresses_that_are_not_confirmed_are_limited(clock: Callable[[str], None]) -> None:
    """An account shows nothing about an address that it has only typed."""
    member = create_member(email="ann@example.com", password=people.PASSWORD)
    for number, (email, user) in enumerate([("ann@example.com", member), ("ben@example.com", member), ("ann@example.com", None)]):
        make_appointment(starts_at=START + timedelta(hours=number), user=user, email=email)
    clock("2026-03-05 13:00")
    remind_customers()
    mails = OutgoingMail.objects.filter(template="booking_reminder").order_by("pk")
    assert list(mails.values_list("is_limited", flat=True)) == [False, True, True]


@pytest.mark.both_databases
def test_it_works(hours: Callable[[datetime], list[int]]) -> None:
    make_appointment(starts_at=START)
    assert hours(START) == [24]
    mail = OutgoingMail.objects.get(template="booking_reminder")
    assert mail.recipient == "dana@example.com"
    assert "Friday, March 6, 2026, 4:00 AM (America/New York)" in mail.subject


@pytest.mark.parametrize(("setting", "expected"), [(48, [48]), (1, [1]), (0, []), (-5, []), (10**11 - 1, [96]), (2**31, [96])])
def test_other_hours(hours: Callable[[datetime], list[int]], setting: int, expected: list[int]) -> None:
    make_appointment(starts_at=START)
    set_setting(key="booking.reminder_hours", value=setting)
    assert hours(START) == expected


def test_none_for_one_that_was_booked_at_the_last_moment(
    hours: Callable[[datetime], list[int]], clock: Callable[[str], None]
) -> None:
    start = utc("2026-03-03 08:00")
    assert make_appointment(starts_at=start).reminded_at is not None
    assert hours(start) == []
    clock("2026-03-11 08:00")
    needs = [make_appointment(starts_at=utc(f"2026-03-12 {clock}")).reminded_at is None for clock in ("08:00", "09:00")]
    assert needs == [False, True]


def test_hours_beyond_any_calendar_do_not_stop_bookings() -> None:
    set_setting(key="booking.reminder_hours", value=10**11 - 1)
    assert make_appointment(starts_at=START).status == "confirmed"


@pytest.mark.parametrize(
    ("status", "values"),
    [("pending", {"requires_approval": True}), ("pending", {"deposit_cents": 1000}), ("cancelled", {}), ("completed", {})],
)
def test_only_confirmed_ones(hours: Callable[[datetime], list[int]], status: str, values: dict[str, object]) -> None:
    booked = make_appointment(make_service(**values), starts_at=START)
    if status == "cancelled":
        cancel_appointment(appointment=booked)
    elif status == "completed":
        complete_appointment(appointment=booked)
    assert Appointment.objects.get().status == status
    assert hours(START) == []


def test_again_after_a_move(hours: Callable[[datetime], list[int]], clock: Callable[[str], None]) -> None:
    booked = make_appointment(starts_at=START)
    clock("2026-03-05 10:00")
    remind_customers()
    assert sent() == 1
    moved = reschedule_appointment(appointment=booked, starts_at=START + timedelta(days=3))
    assert moved.reminded_at is None
    assert hours(moved.starts_at) == [24]
    assert sent() == 2


def test_a_move_to_today_is_its_own_reminder(clock: Callable[[str], None], hours: Callable[[datetime], list[int]]) -> None:
    booked = make_appointment(starts_at=START)
    moved = reschedule_appointment(appointment=booked, starts_at=utc("2026-03-02 18:00"))
    assert moved.reminded_at is not None
    assert hours(moved.starts_at) == []


def test_none_for_what_has_begun(clock: Callable[[str], None]) -> None:
    """The job did not run for two days."""
    make_appointment(starts_at=START)
    clock("2026-03-06 09:00")
    remind_customers()
    assert sent() == 0
