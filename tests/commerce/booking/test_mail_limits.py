"""The mail that strangers can cause by booking in somebody else's name, and by rescheduling."""

from html import unescape

import pytest
from django.test import Client

from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.sending import send_due
from cms_api.mail.services.unconfirmed import RECORD_MAILS_PER_HOUR
from commerce.booking.models import Appointment
from commerce.booking.selectors.appointments import MANAGE_LINK
from commerce.booking.services import cancel_appointment

from .builders import at, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")


def sent(email: str = "dana@example.com") -> int:
    return OutgoingMail.objects.filter(recipient=email, state="sent").count()


def move(client: Client, booked: Appointment, days: int) -> None:
    path = f"{MANAGE_LINK.path(booked)}reschedule?start={int(at(days=days).timestamp())}"
    assert client.post(path).status_code == 302
    booked.refresh_from_db()
    assert booked.starts_at == at(days=days)


@pytest.mark.both_databases
def test_rescheduling_again_and_again_sends_a_few_mails(client: Client) -> None:
    booked = make_appointment(make_service(), starts_at=at(days=3))
    send_due()
    OutgoingMail.objects.all().delete()
    for number in range(12):
        move(client, booked, 4 + number % 2)
        send_due()
    assert sent() == RECORD_MAILS_PER_HOUR
    (delayed,) = OutgoingMail.objects.filter(recipient="dana@example.com", state="waiting")
    assert delayed.template == "booking_changed"


@pytest.mark.both_databases
def test_what_staff_do_is_mailed_at_once(client: Client) -> None:
    booked = make_appointment(make_service(), starts_at=at(days=3))
    for number in range(6):
        move(client, booked, 4 + number % 2)
        send_due()
    before = sent()
    cancel_appointment(appointment=booked)
    send_due()
    assert sent() == before + 1
    assert not OutgoingMail.objects.filter(recipient="dana@example.com", state="waiting").exists()


def test_a_name_with_a_web_address_is_refused(client: Client) -> None:
    service = make_service()
    make_staff(service)
    path = f"/booking/services/{service.slug}/book?start={int(at(days=3).timestamp())}"
    page = client.post(path, {"name": "Prize https://evil.example", "email": "eve@example.com"})
    assert page.status_code == 422
    assert "Enter a name without a web address." in unescape(page.content.decode())
    assert not OutgoingMail.objects.exists()
