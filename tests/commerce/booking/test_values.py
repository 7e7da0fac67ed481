"""The values of a booking: the customer, the intake questions and the price, and hostile ones."""

from typing import Any

import pytest

from cms_api.flags.services import set_setting
from commerce.booking.models import Appointment, BookedSlot
from commerce.booking.services import save_service, save_staff
from tests.people import alice

from .builders import at, make_appointment, make_service, make_staff, refusals

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("booking")]

QUESTIONS = [
    {"key": "knee", "label": "Which knee?", "type": "select", "options": ["Left", "Right"], "required": True},
    {"key": "since", "label": "Since when?", "type": "date"},
    {"key": "doctor", "label": "Were you sent by a doctor?", "type": "checkbox"},
]


@pytest.mark.both_databases
def test_it_works() -> None:
    booked = make_appointment(
        name=" Dana  Reyes ", email="DANA@Example.com", phone="555 0100", timezone="Asia/Kathmandu", notes="Back door.\r\nThanks."
    )
    assert (booked.email, booked.phone, booked.timezone) == ("dana@example.com", "555 0100", "Asia/Kathmandu")
    assert booked.name.split() == ["Dana", "Reyes"]
    assert booked.notes.splitlines() == ["Back door.", "Thanks."]
    assert booked.user is None


def test_the_zone_of_the_site_is_the_default() -> None:
    set_setting(key="site.timezone", value="Europe/Berlin")
    assert make_appointment(timezone="").timezone == "Europe/Berlin"


def test_the_account_of_the_customer() -> None:
    assert make_appointment(user=alice()).user == alice()


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        ({"name": ""}, ["name"]),
        ({"name": "a" * 1000}, ["name"]),
        ({"name": "Da\0na"}, ["name"]),
        ({"name": 5}, ["name"]),
        ({"name": ["Dana"]}, ["name"]),
        ({"email": ""}, ["email"]),
        ({"email": "dana"}, ["email"]),
        ({"email": "da\0na@example.com"}, ["email"]),
        ({"email": "dana@example.com\r\nBcc: x@example.com"}, ["email"]),
        ({"phone": "5" * 1000}, ["phone"]),
        ({"notes": "a" * 2001}, ["notes"]),
        ({"notes": "\0"}, ["notes"]),
        ({"notes": {"a": 1}}, ["notes"]),
        ({"timezone": "Mars/Olympus"}, ["timezone"]),
        ({"timezone": "../../etc/passwd"}, ["timezone"]),
        ({"timezone": "UTC\0"}, ["timezone"]),
        ({"timezone": ["UTC"]}, ["timezone"]),
        ({"discount_code": "NONE"}, ["discount_code"]),
        ({"discount_code": "\0"}, ["discount_code"]),
        ({"discount_code": "x" * 5000}, ["discount_code"]),
        ({"total_cents": 4999}, ["total_cents"]),
        ({"total_cents": "5000"}, ["total_cents"]),
        ({"name": "", "email": "x", "timezone": "x"}, ["email", "name", "timezone"]),
    ],
)
@pytest.mark.parametrize("by_staff", [True, False])
def test_bad_values_are_refused(values: dict[str, Any], keys: list[str], by_staff: bool) -> None:
    assert sorted(refusals(lambda: make_appointment(by_staff=by_staff, **values))) == keys
    assert not Appointment.objects.exists()
    assert not BookedSlot.objects.exists()


def test_intake_answers_are_stored_with_their_questions() -> None:
    service = make_service(questions=QUESTIONS)
    booked = make_appointment(service, answers={"knee": "Left", "doctor": True, "unknown": "x" * 10_000})
    assert booked.intake == [
        {"question": "Which knee?", "answer": "Left"},
        {"question": "Since when?", "answer": None},
        {"question": "Were you sent by a doctor?", "answer": "Yes"},
    ]
    save_service(service=service, values={"questions": []})
    booked.refresh_from_db()
    assert len(booked.intake) == 3


@pytest.mark.parametrize(
    ("answers", "keys"),
    [
        ({}, ["data.knee"]),
        (None, ["data.knee"]),
        ({"knee": ""}, ["data.knee"]),
        ({"knee": "Middle"}, ["data.knee"]),
        ({"knee": "left\0"}, ["data.knee"]),
        ({"knee": ["Left"]}, ["data.knee"]),
        ({"knee": "Left", "since": "tomorrow"}, ["data.since"]),
        ({"knee": "Left", "since": "2026-02-30"}, ["data.since"]),
        ({"since": "x"}, ["data.knee", "data.since"]),
        (["Left"], ["data"]),
        ("Left", ["data"]),
    ],
)
def test_bad_answers_are_refused(answers: Any, keys: list[str]) -> None:
    service = make_service(questions=QUESTIONS)
    assert sorted(refusals(lambda: make_appointment(service, answers=answers))) == keys


def test_the_price_that_the_customer_agreed_to() -> None:
    service = make_service(price_cents=5000)
    assert make_appointment(service, total_cents=5000).total_cents == 5000
    save_service(service=service, values={"price_cents": 6000})
    service.refresh_from_db()
    assert refusals(lambda: make_appointment(service, starts_at=at(hour=11), total_cents=5000)) == {
        "total_cents": "The price has changed to $60.00. Review your booking and try again."
    }


def test_later_edits_change_nothing_in_an_appointment() -> None:
    service = make_service("Massage", location="14 Canal Street", video_url="https://meet.example.com/a")
    staff = make_staff(service, name="Robin Vale")
    booked = make_appointment(service)
    save_service(
        service=service, values={"name": "Yoga", "price_cents": 1, "duration_minutes": 5, "location": "", "video_url": ""}
    )
    save_staff(staff=staff, values={"name": "Kim"})
    booked.refresh_from_db()
    assert (booked.service_name, booked.staff_name, booked.price_cents, booked.duration_minutes) == (
        "Massage",
        "Robin Vale",
        5000,
        60,
    )
    assert (booked.location, booked.video_url) == ("14 Canal Street", "https://meet.example.com/a")
