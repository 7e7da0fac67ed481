"""Booking on the admin's home: today's appointments, requests, calendars that fail, and first steps."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from commerce.booking.admin.cards import add_service, add_staff, appointments, calendars
from commerce.booking.models import Staff
from commerce.booking.services import cancel_appointment
from tests import people

from .builders import make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")


def counts(person: Any) -> dict[str, int]:
    return {card.title: card.count for card in appointments(people.request_by(person))}


@pytest.mark.usefixtures("clock")
@pytest.mark.both_databases
def test_it_counts_today_and_what_awaits_approval() -> None:
    alice = people.alice()
    assert counts(alice) == {"Appointments today": 0, "Appointments awaiting approval": 0}
    make_appointment()
    now = timezone.now()
    make_appointment(starts_at=now, by_staff=True)
    cancel_appointment(appointment=make_appointment(starts_at=now, by_staff=True))
    make_appointment(make_service(requires_approval=True))
    make_appointment(make_service(requires_approval=True, deposit_cents=1000))
    assert counts(alice) == {"Appointments today": 1, "Appointments awaiting approval": 1}


@pytest.mark.both_databases
def test_it_takes_two_statements_at_most() -> None:
    request = people.request_by(people.alice())
    list(appointments(request))
    with CaptureQueriesContext(connection) as statements:
        list(appointments(request))
    assert len(statements) == 2


def test_calendars_that_fail_are_urgent() -> None:
    request = people.request_by(people.alice())
    make_staff()
    failing = make_staff(calendar_url="https://cal.example.com/a.ics")
    card = calendars(request)
    assert card is not None
    assert (card.count, card.urgent) == (0, True)
    Staff.objects.filter(pk=failing.pk).update(calendar_error="It is gone.")
    card = calendars(request)
    assert card is not None
    assert card.count == 1


def test_first_steps_are_ticked() -> None:
    request = people.request_by(people.alice())

    def done() -> list[bool]:
        return [step.done for step in (add_service(request), add_staff(request)) if step]

    assert done() == [False, False]
    make_staff(make_service())
    assert done() == [True, True]


def test_they_are_for_people_who_may_see_appointments() -> None:
    editor = people.request_by(people.bob())
    assert list(appointments(editor)) == []
    assert [calendars(editor), add_service(editor), add_staff(editor)] == [None, None, None]
    assert counts(people.mallory_manager()).keys() == {"Appointments today", "Appointments awaiting approval"}
