"""Emails about appointments: which is sent when, in which words, and with which calendar invite."""

from typing import Any

import pytest
from icalendar import Calendar, Component

from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment
from commerce.booking.resources.calendars import uid
from commerce.booking.selectors.appointments import MANAGE_LINK
from commerce.booking.services import cancel_appointment, confirm_appointment, reschedule_appointment, save_staff

from .builders import make_appointment, make_service, make_staff, pay, utc

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NINE, NOON = utc("2026-03-10 09:00"), utc("2026-03-10 12:00")


@pytest.fixture(autouse=True)
def business(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.com"


def booked(**values: Any) -> Appointment:
    service = make_service("Massage", location="14 Canal Street")
    make_staff(service, name="Robin Vale", email="robin@example.com")
    return make_appointment(service, starts_at=NINE, **values)


def sent() -> list[tuple[str, str]]:
    return list(OutgoingMail.objects.order_by("pk").values_list("recipient", "template"))


def one(template: str) -> OutgoingMail:
    return OutgoingMail.objects.get(template=template)


def invite(template: str) -> tuple[str, Component]:
    """The method of the invite of an email, which its type repeats, and its only event."""
    attachment = one(template).attachments.get()
    calendar = Calendar.from_ical(bytes(attachment.content))
    method = str(calendar["METHOD"])
    assert (attachment.name, attachment.type) == ("invite.ics", f"text/calendar; method={method}; charset=utf-8")
    (event,) = calendar.walk("VEVENT")
    return method, event


def test_it_works() -> None:
    appointment = booked(notes="Back door.", phone="555 0100")
    assert sent() == [("dana@example.com", "booking_confirmed"), ("robin@example.com", "booking_notice")]
    mail = one("booking_confirmed")
    # On the customer's clock, which has changed two days before.
    assert mail.subject == "Confirmed: Massage, Tuesday, March 10, 2026, 5:00 AM (America/New York)"
    for words in ("Hello Dana,", "With Robin Vale", "14 Canal Street", "Price: $50.00", MANAGE_LINK.url(appointment)):
        assert words in mail.text, words
    method, event = invite("booking_confirmed")
    assert (method, str(event["STATUS"]), int(event["SEQUENCE"])) == ("REQUEST", "CONFIRMED", 0)
    assert (event["DTSTART"].dt, event["DTEND"].dt) == (NINE, utc("2026-03-10 10:00"))
    assert (str(event["SUMMARY"]), str(event["LOCATION"])) == ("Massage (Robin Vale)", "14 Canal Street")
    assert (str(event["ORGANIZER"]), str(event["ATTENDEE"])) == ("mailto:office@example.com", "mailto:dana@example.com")
    assert event["ATTENDEE"].params["CN"] == "Dana Reyes"
    assert str(event["URL"]) == MANAGE_LINK.url(appointment)


def test_the_notice_of_the_staff() -> None:
    booked(notes="Back door.", phone="555 0100")
    mail = one("booking_notice")
    assert (mail.reply_to, mail.subject) == ("dana@example.com", "New booking: Massage, Tuesday, March 10, 2026, 9:00 AM (UTC)")
    for words in ("Dana Reyes", "Email: dana@example.com", "Phone: 555 0100", "Notes: Back door.", "/admin/"):
        assert words in mail.text, words
    assert not mail.attachments.exists()


def test_without_an_address_of_the_staff_the_business_gets_the_notice(settings: Any) -> None:
    make_appointment()
    assert [recipient for recipient, _ in sent()] == ["dana@example.com", "office@example.com"]
    settings.BUSINESS_EMAIL = ""
    make_appointment()
    assert [recipient for recipient, _ in sent()][2:] == ["dana@example.com"]


def test_the_new_time_replaces_the_former_one() -> None:
    appointment = booked()
    before = invite("booking_confirmed")[1]
    reschedule_appointment(appointment=appointment, starts_at=NOON)
    assert sent()[2:] == [("dana@example.com", "booking_changed"), ("robin@example.com", "booking_notice")]
    method, event = invite("booking_changed")
    assert (method, str(event["STATUS"]), int(event["SEQUENCE"])) == ("REQUEST", "CONFIRMED", 1)
    assert (event["UID"], event["DTSTART"].dt) == (before["UID"], NOON)
    assert "8:00 AM" in one("booking_changed").subject
    assert OutgoingMail.objects.filter(template="booking_notice", subject__startswith="Rescheduled: ").count() == 1


def test_both_members_of_staff_are_notified_when_it_changes_hands() -> None:
    appointment = booked()
    other = make_staff(appointment.service, name="Kim", email="kim@example.com")
    reschedule_appointment(appointment=appointment, starts_at=NOON, staff=other)
    assert [recipient for recipient, template in sent()[2:] if template == "booking_notice"] == [
        "kim@example.com",
        "robin@example.com",
    ]
    assert str(invite("booking_changed")[1]["SUMMARY"]) == "Massage (Kim)"


def test_each_member_of_staff_reads_the_time_on_an_own_clock() -> None:
    appointment = booked()
    other = make_staff(appointment.service, name="Kim", email="kim@example.com", timezone="Asia/Tokyo")
    reschedule_appointment(appointment=appointment, starts_at=NOON, staff=other)
    notices = OutgoingMail.objects.filter(template="booking_notice", subject__startswith="Rescheduled: ")
    new, former = (notices.get(recipient=f"{name}@example.com").text for name in ("kim", "robin"))
    assert "9:00\N{NO-BREAK SPACE}PM (Asia/Tokyo)" in new
    assert "12:00\N{NO-BREAK SPACE}PM (UTC)" in former
    assert "Tokyo" not in former


def test_cancelling_removes_it_from_the_calendar() -> None:
    appointment = booked()
    before = invite("booking_confirmed")[1]
    reschedule_appointment(appointment=appointment, starts_at=NOON)
    cancel_appointment(appointment=appointment)
    assert sent()[4:] == [("dana@example.com", "booking_cancelled"), ("robin@example.com", "booking_notice")]
    method, event = invite("booking_cancelled")
    assert (method, str(event["STATUS"]), int(event["SEQUENCE"])) == ("CANCEL", "CANCELLED", 2)
    assert [event[name] for name in ("UID", "ORGANIZER", "ATTENDEE")] == [
        before[name] for name in ("UID", "ORGANIZER", "ATTENDEE")
    ]
    assert event["DTSTART"].dt == NOON


def test_a_request_has_no_invite_until_it_is_confirmed() -> None:
    service = make_service(requires_approval=True)
    staff = make_staff(service, email="robin@example.com")
    appointment = make_appointment(service, starts_at=NINE)
    assert sent() == [("dana@example.com", "booking_requested"), ("robin@example.com", "booking_notice")]
    assert one("booking_notice").subject.startswith("Please confirm: ")
    reschedule_appointment(appointment=appointment, starts_at=NOON)
    assert not OutgoingMail.objects.filter(attachments__isnull=False).exists()
    save_staff(staff=staff, values={"email": ""})
    confirm_appointment(appointment=appointment)
    assert (invite("booking_confirmed")[0], int(invite("booking_confirmed")[1]["SEQUENCE"])) == ("REQUEST", 1)


def test_a_declined_request_has_no_invite() -> None:
    appointment = make_appointment(make_service(requires_approval=True), starts_at=NINE)
    cancel_appointment(appointment=appointment)
    assert not one("booking_cancelled").attachments.exists()


@pytest.mark.django_db(transaction=True)
def test_nobody_is_notified_before_the_deposit_is_paid() -> None:
    appointment = make_appointment(make_service(deposit_cents=1000), starts_at=NINE)
    assert sent() == []
    pay(appointment)
    assert sent() == [("dana@example.com", "booking_confirmed"), ("office@example.com", "booking_notice")]
    assert "Paid: $10.00" in one("booking_confirmed").text


def test_a_booking_by_hand_is_confirmed_by_email_too() -> None:
    booked(by_staff=True)
    assert [template for _, template in sent()] == ["booking_confirmed", "booking_notice"]


def test_hostile_texts_stay_text() -> None:
    service = make_service("Massage\\, <b>; BEGIN:VEVENT", location='";\\n')
    make_appointment(service, starts_at=NINE, name='Dana; "X" <b>&\\n', notes="a\r\nBEGIN:VALARM\r\n{{ manage_url }}")
    _, event = invite("booking_confirmed")
    assert str(event["SUMMARY"]).startswith("Massage\\, <b>; BEGIN:VEVENT")
    html = one("booking_confirmed").html
    assert "<b>;" not in html
    assert "&lt;b&gt;" in html
    assert "{{" in one("booking_notice").text


def test_the_uid_of_an_appointment_is_random_and_an_older_one_keeps_its_number() -> None:
    appointment = make_appointment()
    assert uid(appointment) == f"appointment-{appointment.external_key.hex}@testserver"
    appointment.external_key = None
    assert uid(appointment) == f"appointment-{appointment.pk}@testserver"
