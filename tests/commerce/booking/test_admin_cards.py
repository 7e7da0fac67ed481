"""Booking on the admin's home: today's appointments, requests, calendars that fail, and first steps."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from commerce.booking.admin.cards import add_service, add_staff, calendars, pending_appointments, todays_appointments
from commerce.booking.models import Staff
from commerce.booking.services import cancel_appointment
from tests import people

from .builders import make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")


def counts() -> dict[str, int]:
    request = people.request_by(people.alice())
    with CaptureQueriesContext(connection) as statements:
        cards = [todays_appointments(request), pending_appointments(request)]
    assert len([each for each in statements if "booking_appointment" in each["sql"]]) == 2
    return {card.title: card.count for card in cards}


@pytest.mark.usefixtures("clock")
@pytest.mark.both_databases
def test_it_counts_today_and_what_awaits_approval() -> None:
    assert counts() == {"Appointments today": 0, "Appointments awaiting approval": 0}
    make_appointment()
    now = timezone.now()
    make_appointment(starts_at=now, by_staff=True)
    cancel_appointment(appointment=make_appointment(starts_at=now, by_staff=True))
    make_appointment(make_service(requires_approval=True))
    make_appointment(make_service(requires_approval=True, deposit_cents=1000))
    assert counts() == {"Appointments today": 1, "Appointments awaiting approval": 1}


def test_calendars_that_fail_are_urgent() -> None:
    request = people.request_by(people.alice())
    make_staff()
    failing = make_staff(calendar_url="https://cal.example.com/a.ics")
    card = calendars(request)
    assert (card.count, card.urgent) == (0, True)
    Staff.objects.filter(pk=failing.pk).update(calendar_error="It is gone.")
    card = calendars(request)
    assert card.count == 1


def test_first_steps_are_ticked() -> None:
    request = people.request_by(people.alice())

    def done() -> list[bool]:
        return [step.done for step in (add_service(request), add_staff(request))]

    assert done() == [False, False]
    make_staff(make_service())
    assert done() == [True, True]
