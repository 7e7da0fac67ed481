"""The emails of booking as they are read, with and without a place."""

import pytest

from cms_api.mail.models import OutgoingMail
from commerce.booking.services import cancel_appointment, reschedule_appointment
from commerce.booking.services.notices import send_reminder

from .builders import at, make_appointment, make_service

pytestmark = pytest.mark.usefixtures("booking")

#: Those that are about an appointment that is confirmed.
CONFIRMED = {"booking_confirmed", "booking_changed", "booking_reminder"}
TEMPLATES = CONFIRMED | {"booking_requested", "booking_cancelled"}


def mails(**values: str) -> dict[str, OutgoingMail]:
    """Each email to the customer of a service."""
    make_appointment(make_service(requires_approval=True, **values))
    booked = make_appointment(make_service("Massage", **values), starts_at=at(days=3))
    send_reminder(booked)
    cancel_appointment(appointment=reschedule_appointment(appointment=booked, starts_at=at(days=4)))
    return {mail.template: mail for mail in OutgoingMail.objects.filter(recipient="dana@example.com")}


@pytest.mark.both_databases
def test_the_place_is_named() -> None:
    found = mails(location="14 Canal Street", video_url="https://meet.example/room")
    assert set(found) == TEMPLATES
    for template, mail in found.items():
        where = "14 Canal Street, https://meet.example/room" if template in CONFIRMED else "14 Canal Street"
        assert f"\n{where}\n" in mail.text, template
        assert f"<p>{where}</p>" in mail.html, template


def test_the_video_link_is_sent_once_it_is_confirmed() -> None:
    found = mails(video_url="https://meet.example/room")
    for template, mail in found.items():
        where = "https://meet.example/room" if template in CONFIRMED else "Video call"
        assert f"\n{where}\n" in mail.text, template
        assert f"<p>{where}</p>" in mail.html, template


def test_without_a_place_there_is_no_gap() -> None:
    found = mails()
    assert set(found) == TEMPLATES
    for mail in found.values():
        body = mail.text[mail.text.index("Hello Dana") :].partition("\n-- ")[0]
        assert "\n\n\n" not in body, mail.template
        assert "<br></p>" not in mail.html.replace("\n", "")
        assert "<p></p>" not in mail.html
        assert "(America/New York)" in mail.text
