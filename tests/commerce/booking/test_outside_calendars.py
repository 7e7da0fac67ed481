"""Calendars of staff at iCal addresses: read from a real HTTPS server, and kept as they were while that fails."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.core.apart import Limits
from commerce.booking.admin.staff import calendar_state
from commerce.booking.models import BusyTime, Staff
from commerce.booking.selectors.availability import openings
from commerce.booking.services import calendars, save_staff
from commerce.booking.services.calendars import FRESH_FOR, read_calendar, refresh_calendars
from tests.client import together
from tests.core import apart_functions
from tests.unprotected import meet_before
from tests.webhooks.conftest import authority, receiver, trusting
from tests.webhooks.receiver import Answer, Receiver

from .builders import at, make_service, make_staff

__all__ = ["authority", "receiver", "trusting"]

pytestmark = pytest.mark.usefixtures("booking")


def calendar(hour: int, *more: str) -> Answer:
    """A calendar with an hour that is taken tomorrow."""
    start = at(hour=hour)
    lines = (
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//test//EN",
        "BEGIN:VEVENT",
        "UID:1",
        f"DTSTART:{start:%Y%m%dT%H%M%SZ}",
        "DURATION:PT1H",
        *more,
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    )
    return Answer(200, {"Content-Type": "text/calendar"}, "\r\n".join(lines).encode())


def with_calendar(receiver: Receiver, *answers: Answer) -> Staff:
    receiver.set_answers("/busy.ics", *answers)
    staff = make_staff(make_service())
    return save_staff(staff=staff, values={"calendar_url": receiver.url("/busy.ics")})


def free_hours(staff: Staff) -> set[int]:
    service = staff.services.get()
    return {each.starts_at.hour for each in openings(service, [staff], at(), at(hour=12))}


@pytest.mark.both_databases
def test_a_host_that_does_not_speak_http_keeps_no_other_calendar_from_being_read(receiver: Receiver) -> None:
    bad = with_calendar(receiver, Answer(raw=b"\0\0\x12\x04\0\r\n\r\n"))
    good = save_staff(staff=make_staff(make_service()), values={"calendar_url": receiver.url("/good.ics")})
    receiver.set_answers("/good.ics", calendar(10))
    refresh_calendars()
    assert free_hours(good) == {9, 11}
    bad.refresh_from_db()
    assert bad.calendar_error.startswith("The request failed:")


@pytest.mark.both_databases
def test_it_works(receiver: Receiver) -> None:
    staff = with_calendar(receiver, calendar(10))
    refresh_calendars()
    assert free_hours(staff) == {9, 11}
    staff.refresh_from_db()
    assert (staff.calendar_read_at is not None, staff.calendar_error) == (True, "")


@pytest.mark.both_databases
def test_busy_times_are_stored_in_parts(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others wait to write no longer than for one of them."""
    monkeypatch.setattr(calendars, "BATCH_TIMES", 2)
    staff = with_calendar(receiver, calendar(10, "RRULE:FREQ=DAILY;COUNT=5"), calendar(11, "RRULE:FREQ=DAILY;COUNT=3"))
    assert read_calendar(staff=staff)
    assert [each.starts_at for each in BusyTime.objects.order_by("starts_at")] == [at(days=1 + day, hour=10) for day in range(5)]
    assert read_calendar(staff=staff)
    assert [each.starts_at for each in BusyTime.objects.order_by("starts_at")] == [at(days=1 + day, hour=11) for day in range(3)]


@pytest.mark.both_databases
def test_times_of_a_former_address_are_not_stored(receiver: Receiver) -> None:
    staff = with_calendar(receiver, calendar(10))
    former = Staff.objects.get()
    save_staff(staff=staff, values={"calendar_url": receiver.url("/other.ics")})
    assert read_calendar(staff=former)
    assert not BusyTime.objects.exists()
    assert Staff.objects.get().calendar_checked_at is None


@pytest.mark.django_db(transaction=True)
def test_two_readings_at_once_store_a_time_once(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_twice_at_once(receiver, monkeypatch) == [at(hour=10)]


@pytest.mark.django_db(transaction=True)
def test_control_a_reading_that_goes_on_stores_a_time_twice(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calendars, "_of_reading", lambda staff, now: calendars._of_address(staff))
    assert read_twice_at_once(receiver, monkeypatch) == [at(hour=10)] * 2


def read_twice_at_once(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """Let both compare a calendar with what is stored before one of them stores it; return the starts of busy times."""
    staff = with_calendar(receiver, calendar(10))
    meet_before(monkeypatch, calendars, "_store", threads=2)
    assert together(lambda _: read_calendar(staff=staff), 2) == [True, True]
    return [each.starts_at for each in BusyTime.objects.all()]


@pytest.mark.both_databases
def test_a_reading_that_fails_ends_no_other(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    staff = with_calendar(receiver, calendar(10, "RRULE:FREQ=DAILY;COUNT=3"))
    monkeypatch.setattr(calendars, "BATCH_TIMES", 1)
    store = calendars._store

    def store_and_fail(*args: Any, **options: Any) -> bool:
        calendars._note(staff, timezone.now(), "The server is down.")
        return store(*args, **options)

    monkeypatch.setattr(calendars, "_store", store_and_fail)
    assert read_calendar(staff=staff)
    assert BusyTime.objects.count() == 3
    assert Staff.objects.get().calendar_error == ""


def test_a_change_replaces_the_former_times(receiver: Receiver) -> None:
    staff = with_calendar(receiver, calendar(10), calendar(9))
    assert read_calendar(staff=staff)
    assert read_calendar(staff=staff)
    assert free_hours(staff) == {10, 11}


@pytest.mark.both_databases
def test_the_same_times_are_not_written_again(receiver: Receiver) -> None:
    staff = with_calendar(receiver, calendar(10), calendar(10))
    read_calendar(staff=staff)
    known = BusyTime.objects.get().pk
    read_calendar(staff=staff)
    assert BusyTime.objects.get().pk == known


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Answer(404, {}, b""), "The server answered 404 Not Found."),
        (Answer(200, {}, b"<html>Sign in</html>"), "The address isn't a calendar."),
    ],
)
def test_a_failure_keeps_the_last_times(receiver: Receiver, answer: Answer, problem: str) -> None:
    staff = with_calendar(receiver, calendar(10), answer)
    read_calendar(staff=staff)
    assert not read_calendar(staff=staff)
    staff.refresh_from_db()
    assert staff.calendar_error == problem
    assert free_hours(staff) == {9, 11}


@pytest.mark.both_databases
def test_what_can_be_read_counts(receiver: Receiver) -> None:
    readable = calendar(10)
    broken = b"BEGIN:VEVENT\r\nDTSTART:soon\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nDUE:x\r\nEND:VTODO\r\nEND:VCALENDAR"
    staff = with_calendar(receiver, Answer(200, {}, readable.body.replace(b"END:VCALENDAR", broken)))
    assert read_calendar(staff=staff)
    staff.refresh_from_db()
    assert (staff.calendar_error, free_hours(staff)) == ("2 entries could not be read.", {9, 11})
    assert calendar_state(staff) == "Partly read"


def test_one_that_never_ends_stops_no_other(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it repeated every second since 1970, and nothing counted the steps."""
    monkeypatch.setattr(calendars, "LIMITS", Limits(seconds=0.3))
    monkeypatch.setattr(calendars, "read_busy", apart_functions.spin)
    endless, other = (with_calendar(receiver, calendar(10)) for _ in range(2))
    refresh_calendars()
    for staff in (endless, other):
        staff.refresh_from_db()
        assert (staff.calendar_error, staff.calendar_read_at) == ("The calendar takes too long to read.", None)


@pytest.mark.both_databases
def test_a_calendar_that_was_read_while_the_clock_was_ahead(receiver: Receiver) -> None:
    staff = with_calendar(receiver, calendar(10))
    Staff.objects.update(calendar_checked_at=timezone.now() + timedelta(hours=2))
    refresh_calendars()
    assert free_hours(staff) == {9, 11}


def test_a_private_address_is_not_called() -> None:
    staff = make_staff(make_service(), calendar_url="https://127.0.0.1/busy.ics")
    assert not read_calendar(staff=staff)
    staff.refresh_from_db()
    assert staff.calendar_error == "The host resolves to a private or reserved address."


@pytest.mark.both_databases
def test_a_calendar_is_read_again_when_it_is_due(receiver: Receiver) -> None:
    staff = with_calendar(receiver, calendar(10), calendar(10))
    refresh_calendars()
    refresh_calendars()
    assert len(receiver.requests) == 1
    Staff.objects.filter(pk=staff.pk).update(calendar_checked_at=timezone.now() - FRESH_FOR - timedelta(seconds=1))
    refresh_calendars()
    assert len(receiver.requests) == 2


@pytest.mark.both_databases
def test_another_address_is_read_at_once(receiver: Receiver) -> None:
    staff = with_calendar(receiver, calendar(10))
    refresh_calendars()
    receiver.set_answers("/other.ics", calendar(11))
    save_staff(staff=staff, values={"calendar_url": receiver.url("/other.ics")})
    refresh_calendars()
    assert free_hours(staff) == {9, 10}


def test_without_an_address_nothing_is_busy(receiver: Receiver) -> None:
    staff = with_calendar(receiver, calendar(10))
    refresh_calendars()
    save_staff(staff=staff, values={"calendar_url": ""})
    assert free_hours(staff) == {9, 10, 11}
