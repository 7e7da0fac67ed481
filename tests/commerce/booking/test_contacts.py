"""Customers of booking in the CRM: the contact, and its timeline."""

from typing import Any

import pytest

from cms_api.flags.services import set_setting, switch_feature
from commerce.booking.services import (
    cancel_appointment,
    complete_appointment,
    confirm_appointment,
    mark_no_show,
    reschedule_appointment,
)
from commerce.booking.services.housekeeping import lapse_appointments
from commerce.crm.models import Activity, Contact
from commerce.crm.services import upsert_contact
from commerce.crm.types import ActivityKind

from .builders import make_appointment, make_service, utc

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NINE = utc("2026-03-04 09:00")


@pytest.fixture
def crm() -> None:
    switch_feature(name="crm", on=True)
    set_setting(key="site.timezone", value="Europe/Berlin")


def entries() -> Any:
    """The timeline without its emails."""
    return Activity.objects.filter(kind=ActivityKind.BOOKING).order_by("pk")


def timeline() -> list[str]:
    return list(entries().values_list("summary", flat=True))


@pytest.mark.both_databases
def test_without_the_crm_nothing_is_written() -> None:
    cancel_appointment(appointment=make_appointment())
    assert (Contact.objects.count(), Activity.objects.count()) == (0, 0)


@pytest.mark.both_databases
def test_a_customer_becomes_a_contact(crm: None) -> None:
    booked = make_appointment(make_service("Massage"), starts_at=NINE, name="Dana van Dyck", phone="555 0100")
    contact = Contact.objects.get()
    assert (contact.email, contact.first_name, contact.last_name, contact.phone) == (
        "dana@example.com",
        "Dana",
        "van Dyck",
        "555 0100",
    )
    assert contact.source == "booking"
    entry = entries().get()
    assert entry.summary.startswith("Booked Massage for ")
    # On the clock of the site.
    assert "10:00" in entry.summary
    assert entry.link.endswith(f"/{booked.pk}/")


def test_what_is_known_of_a_contact_stays(crm: None) -> None:
    upsert_contact(values={"email": "dana@example.com", "first_name": "Daniela"}, source="admin")
    make_appointment(email="DANA@example.com", phone="555 0100")
    contact = Contact.objects.get()
    assert (contact.first_name, contact.last_name, contact.phone) == ("Daniela", "Reyes", "555 0100")


def test_every_step_is_in_the_timeline(crm: None) -> None:
    booked = make_appointment(make_service("Massage"), starts_at=NINE)
    reschedule_appointment(appointment=booked, starts_at=utc("2026-03-05 09:00"))
    complete_appointment(appointment=booked)
    missed = make_appointment(booked.service, starts_at=NINE)
    mark_no_show(appointment=missed)
    dropped = make_appointment(booked.service, starts_at=utc("2026-03-06 09:00"))
    for _ in range(2):
        cancel_appointment(appointment=dropped)
    steps = [summary.replace("Massage ", "") for summary in timeline()]
    assert [step.split(" ")[0] for step in steps] == ["Booked", "rescheduled", "completed", "Booked", "on", "Booked", "on"]
    assert steps[4].endswith(": no-show")
    assert steps[6].endswith("cancelled")
    assert Contact.objects.count() == 1


def test_a_request_is_recorded_when_it_is_confirmed(crm: None) -> None:
    booked = make_appointment(make_service(requires_approval=True))
    assert (timeline(), Contact.objects.count()) == ([], 0)
    confirm_appointment(appointment=booked)
    assert len(timeline()) == 1


@pytest.mark.both_databases
def test_an_appointment_that_lapses_leaves_no_contact(crm: None, clock: Any) -> None:
    make_appointment(make_service(deposit_cents=1000))
    clock("2026-03-02 12:00")
    lapse_appointments()
    assert (timeline(), Contact.objects.count()) == ([], 0)
