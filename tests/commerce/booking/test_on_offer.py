"""Customers can only book times on offer, and every time on offer: the page and the service have the same rules."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from cms_api.flags.services import set_setting
from commerce.booking.models import Appointment, BookedSlot, BusyTime, Service, Staff
from commerce.booking.selectors.availability import openings
from commerce.booking.services import (
    cancel_appointment,
    complete_appointment,
    mark_no_show,
    save_override,
    save_service,
    save_staff,
    save_time_off,
)
from tests.commerce.shop.outcomes import outcome

from .builders import make_appointment, make_service, make_staff, refusals, utc, weekly

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

DAY = "2026-03-03"
#: The services that lead to a status.
ENDINGS: dict[str, Callable[..., object]] = {
    "cancelled": cancel_appointment,
    "completed": complete_appointment,
    "no_show": mark_no_show,
}
HOUR = timedelta(hours=1)


def offered(service: Service, *staff: Staff, day: str = DAY) -> list[str]:
    """The times of a day on offer, in UTC."""
    first = utc(f"{day} 00:00")
    found = openings(service, staff or list(service.staff.all()), first, first + timedelta(days=1))
    return [f"{each.starts_at:%H:%M}" for each in found]


class Undone(Exception):
    """Takes back a transaction."""


def can_book(service: Service, when: str, **more: Any) -> bool:
    """Whether a customer may book a time; the booking is taken back."""

    def book() -> None:
        with transaction.atomic():
            make_appointment(service, starts_at=utc(when), **more)
            raise Undone

    try:
        assert outcome(book) == "starts_at"
    except Undone:
        return True
    return False


@pytest.mark.both_databases
def test_it_works() -> None:
    service = make_service(step_minutes=30)
    make_staff(service, hours=weekly("09:00", "12:00"))
    assert offered(service) == ["09:00", "09:30", "10:00", "10:30", "11:00"]
    assert can_book(service, f"{DAY} 10:30")
    assert [can_book(service, f"{DAY} {clock}") for clock in ("08:30", "10:15", "11:30", "12:00")] == [False] * 4


def test_every_quarter_of_an_hour_is_booked_as_it_is_offered() -> None:
    service = make_service(
        duration_minutes=45, step_minutes=15, buffer_before_minutes=10, buffer_after_minutes=5, notice_minutes=1560
    )
    staff = make_staff(service, hours=weekly("09:30", "14:00"))
    save_time_off(values={"staff": staff, "starts_at": utc(f"{DAY} 13:00"), "ends_at": utc(f"{DAY} 13:15")})
    make_appointment(service, staff, utc(f"{DAY} 11:30"))
    clocks = [f"{minutes // 60:02}:{minutes % 60:02}" for minutes in range(9 * 60, 15 * 60, 15)]
    booked = [clock for clock in clocks if can_book(service, f"{DAY} {clock}")]
    assert booked == offered(service) == ["10:00", "10:15", "10:30", "13:15"]


@pytest.mark.parametrize(
    ("notice", "first"),
    [(0, "2026-03-02 08:00"), (1, "2026-03-02 09:00"), (60, "2026-03-02 09:00"), (61, "2026-03-02 10:00")],
)
def test_notice(notice: int, first: str) -> None:
    service = make_service(notice_minutes=notice)
    make_staff(service)
    assert f"2026-03-02 {offered(service, day='2026-03-02')[0]}" == first
    assert can_book(service, first)
    assert not can_book(service, str(utc(first) - HOUR)[:16])


def test_the_past_is_not_on_offer() -> None:
    service = make_service()
    make_staff(service)
    assert offered(service, day="2026-03-01") == []
    assert not can_book(service, "2026-03-01 10:00")


def test_days_ahead_are_times_of_24_hours() -> None:
    service = make_service(days_ahead=2)
    make_staff(service)
    assert offered(service, day="2026-03-04")[-1] == "08:00"
    assert can_book(service, "2026-03-04 08:00")
    assert not can_book(service, "2026-03-04 09:00")


@pytest.mark.parametrize("when", ["0001-01-01 00:00", "1900-01-01 00:00", "2037-01-01 00:00", "9999-12-31 23:59"])
@pytest.mark.parametrize("by_staff", [True, False])
def test_times_out_of_reach_are_refused(when: str, by_staff: bool) -> None:
    service = make_service()
    make_staff(service)
    assert list(refusals(lambda: make_appointment(service, starts_at=utc(when), by_staff=by_staff))) == ["starts_at"]


def test_a_moment_after_a_time_on_offer_is_refused() -> None:
    service = make_service()
    make_staff(service)
    for more in (timedelta(microseconds=1), timedelta(milliseconds=500), timedelta(seconds=1)):
        assert list(refusals(lambda more=more: make_appointment(service, starts_at=utc(f"{DAY} 09:00") + more))) == ["starts_at"]


def test_hours_of_a_service() -> None:
    """They replace the general ones, also on the weekdays on which there are none."""
    general, special = make_service(), make_service()
    hours = [*weekly("09:00", "11:00"), *weekly("14:00", "16:00", days=[1], service=special)]
    make_staff(general, special, hours=hours)
    assert offered(general) == ["09:00", "10:00"]
    assert offered(special) == ["14:00", "15:00"]
    assert offered(special, day="2026-03-04") == []
    assert (can_book(special, f"{DAY} 14:00"), can_book(special, f"{DAY} 09:00")) == (True, False)


def test_overnight() -> None:
    service = make_service()
    make_staff(service, hours=weekly("22:00", "02:00", days=[1]))
    assert offered(service) == ["22:00", "23:00"]
    assert offered(service, day="2026-03-04") == ["00:00", "01:00"]


def test_hours_are_those_of_the_clock_of_the_staff() -> None:
    service = make_service(days_ahead=60)
    make_staff(service, timezone="America/New_York", hours=weekly("09:00", "10:00"))
    # The clocks change on March 8.
    assert (offered(service, day="2026-03-07"), offered(service, day="2026-03-08")) == (["14:00"], ["13:00"])
    assert can_book(service, "2026-03-08 13:00")
    assert not can_book(service, "2026-03-08 14:00")


def test_a_date_with_other_hours() -> None:
    service = make_service()
    staff = make_staff(service, hours=weekly("09:00", "11:00"))
    override = save_override(values={"staff": staff, "date": utc(DAY).date(), "periods": [("18:00", "19:00")]})
    assert offered(service) == ["18:00"]
    assert (can_book(service, f"{DAY} 18:00"), can_book(service, f"{DAY} 09:00")) == (True, False)
    save_override(override=override, values={"periods": []})
    assert offered(service) == []


def test_time_off_of_one_and_of_everybody() -> None:
    service = make_service()
    one, other = (make_staff(service, hours=weekly("09:00", "12:00")) for _ in range(2))
    save_time_off(values={"staff": one, "starts_at": utc(f"{DAY} 09:30"), "ends_at": utc(f"{DAY} 10:00")})
    assert (offered(service, one), offered(service, other)) == (["10:00", "11:00"], ["09:00", "10:00", "11:00"])
    save_time_off(values={"staff": None, "starts_at": utc(f"{DAY} 11:59"), "ends_at": utc(f"{DAY} 13:00")})
    assert (offered(service, one), offered(service, other)) == (["10:00"], ["09:00", "10:00"])
    assert not can_book(service, f"{DAY} 09:00", staff=one)
    assert not can_book(service, f"{DAY} 11:00")


@pytest.mark.parametrize(
    ("country", "region", "closed"),
    [("DE", "BY", True), ("DE", "BE", False), ("DE", "", False), ("de", "BY", True), ("XX", "BY", False), ("", "", False)],
)
def test_holidays(clock: Callable[[str], None], country: str, region: str, closed: bool) -> None:
    """Epiphany is a holiday in Bavaria."""
    clock("2026-01-05 08:00")
    service = make_service()
    make_staff(service, hours=weekly("09:00", "10:00"))
    busy = make_staff(service, hours=weekly("09:00", "10:00"), works_on_holidays=True)
    set_setting(key="booking.holiday_country", value=country)
    set_setting(key="booking.holiday_region", value=region)
    assert len(offered(service, day="2026-01-06")) == 2
    set_setting(key="booking.closed_on_holidays", value=True)
    assert len(offered(service, day="2026-01-06")) == (1 if closed else 2)
    assert offered(service, busy, day="2026-01-06") == ["09:00"]
    assert can_book(service, "2026-01-06 09:00")


def test_the_country_of_the_site_has_the_holidays_and_dates_with_hours_are_open(clock: Callable[[str], None]) -> None:
    clock("2026-12-20 08:00")
    service = make_service()
    staff = make_staff(service, hours=weekly("09:00", "10:00"))
    set_setting(key="booking.closed_on_holidays", value=True)
    assert offered(service, day="2026-12-25") == []
    assert not can_book(service, "2026-12-25 09:00")
    save_override(values={"staff": staff, "date": utc("2026-12-25").date(), "periods": [("11:00", "12:00")]})
    assert offered(service, day="2026-12-25") == ["11:00"]


def test_busy_times_of_an_outside_calendar() -> None:
    service = make_service(buffer_after_minutes=15)
    staff = make_staff(service, hours=weekly("09:00", "13:00"))
    BusyTime.objects.create(staff=staff, starts_at=utc(f"{DAY} 11:10"), ends_at=utc(f"{DAY} 11:20"))
    assert offered(service) == ["09:00", "12:00"]
    assert (can_book(service, f"{DAY} 12:00"), can_book(service, f"{DAY} 11:00")) == (True, False)


def test_buffers_add_up_between_two_appointments() -> None:
    service = make_service(step_minutes=5, buffer_before_minutes=10, buffer_after_minutes=15)
    staff = make_staff(service, hours=weekly("09:00", "13:00"))
    make_appointment(service, staff, utc(f"{DAY} 10:30"))
    # 25 minutes are between the end of one and the start of the next.
    assert offered(service)[:2] == ["09:00", "09:05"]
    assert offered(service)[2] == "11:55"
    for when, is_free in (("09:05", True), ("09:10", False), ("11:50", False), ("11:55", True)):
        assert can_book(service, f"{DAY} {when}") is is_free, when


def test_buffers_may_lie_outside_of_working_hours() -> None:
    service = make_service(buffer_before_minutes=120, buffer_after_minutes=120)
    make_staff(service, hours=weekly("09:00", "10:00"))
    assert offered(service) == ["09:00"]
    make_appointment(service, starts_at=utc(f"{DAY} 09:00"))
    slot = BookedSlot.objects.get()
    assert (slot.occupied_from, slot.occupied_until) == (utc(f"{DAY} 07:00"), utc(f"{DAY} 12:00"))


def test_appointments_keep_the_buffers_that_they_were_booked_with() -> None:
    service = make_service(buffer_after_minutes=60)
    make_staff(service, hours=weekly("09:00", "12:00"))
    make_appointment(service, starts_at=utc(f"{DAY} 09:00"))
    save_service(service=service, values={"buffer_after_minutes": 0})
    service.refresh_from_db()
    assert offered(service) == ["11:00"]


def test_another_service_takes_the_same_time() -> None:
    one, other = make_service(), make_service(duration_minutes=90)
    staff = make_staff(one, other, hours=weekly("09:00", "12:00"))
    make_appointment(other, staff, utc(f"{DAY} 09:00"))
    assert offered(one) == ["11:00"]
    assert not can_book(one, f"{DAY} 10:00")


@pytest.mark.parametrize("status", ["pending", "completed", "no_show", "cancelled"])
def test_all_but_cancelled_appointments_take_time(status: str) -> None:
    service = make_service(requires_approval=status == "pending")
    make_staff(service, hours=weekly("09:00", "10:00"))
    booked = make_appointment(service, starts_at=utc(f"{DAY} 09:00"))
    if status in ENDINGS:
        ENDINGS[status](appointment=booked)
    assert Appointment.objects.get().status == status
    assert offered(service) == (["09:00"] if status == "cancelled" else [])


def test_hidden_services_and_hidden_staff_cannot_be_booked_online() -> None:
    service = make_service()
    staff = make_staff(service, is_visible=False)
    assert list(refusals(lambda: make_appointment(service, starts_at=utc(f"{DAY} 09:00")))) == ["staff"]
    assert list(refusals(lambda: make_appointment(service, staff, utc(f"{DAY} 09:00")))) == ["staff"]
    save_staff(staff=staff, values={"is_visible": True})
    save_service(service=service, values={"is_visible": False})
    service.refresh_from_db()
    assert list(refusals(lambda: make_appointment(service, starts_at=utc(f"{DAY} 09:00")))) == ["service"]
    assert make_appointment(service, starts_at=utc(f"{DAY} 09:00"), by_staff=True)


def test_somebody_who_does_not_offer_the_service_cannot_be_chosen() -> None:
    service = make_service()
    make_staff(service)
    stranger = make_staff()
    for by_staff in (True, False):
        assert list(refusals(lambda by_staff=by_staff: make_appointment(service, stranger, by_staff=by_staff))) == ["staff"]
