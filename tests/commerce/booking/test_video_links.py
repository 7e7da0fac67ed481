"""The video link of an appointment: customers get it while the appointment is confirmed, and staff see it always."""

from collections.abc import Callable

import pytest
from django.test import Client
from icalendar import Calendar

from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment
from commerce.booking.resources import mails
from commerce.booking.selectors.appointments import MANAGE_LINK, admin_url
from commerce.booking.services import (
    cancel_appointment,
    complete_appointment,
    confirm_appointment,
    mark_no_show,
    reschedule_appointment,
)
from tests.client import Api

from .builders import at, make_appointment, make_service, pay

pytestmark = pytest.mark.usefixtures("booking")

LINK = "https://meet.example/room"
FOLLOWS = "You'll get the link when your appointment is confirmed."


def requested(**values: object) -> Appointment:
    """An appointment that somebody has to confirm."""
    return make_appointment(make_service("Review", requires_approval=True, video_url=LINK, **values), starts_at=at(days=3))


def page(client: Client, appointment: Appointment, action: str = "") -> str:
    answer = client.get(MANAGE_LINK.path(appointment) + action)
    assert answer.status_code == 200
    return answer.content.decode()


def sent() -> str:
    """Everything that the customer has been emailed, invites included."""
    found = OutgoingMail.objects.filter(recipient="dana@example.com")
    invites = [bytes(each.content).decode() for mail in found for each in mail.attachments.all()]
    # Long lines of calendars are folded.
    return "".join([*(mail.text + mail.html for mail in found), *invites]).replace("\r\n ", "")


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    appointment = requested()
    assert LINK not in sent()
    confirm_appointment(appointment=appointment)
    assert LINK in OutgoingMail.objects.get(template="booking_confirmed").text
    for action in ("", "cancel", "appointment.ics"):
        assert LINK in page(client, appointment, action)
    (attachment,) = OutgoingMail.objects.get(template="booking_confirmed").attachments.all()
    (event,) = Calendar.from_ical(bytes(attachment.content)).walk("VEVENT")
    assert (str(event["LOCATION"]), str(event["DESCRIPTION"]).partition("\n")[0]) == (LINK, LINK)


@pytest.mark.both_databases
def test_a_request_does_not_have_it(client: Client) -> None:
    appointment = requested()
    for action in ("", "cancel", "reschedule", "appointment.ics"):
        assert LINK not in page(client, appointment, action).replace("\r\n ", "")
    assert FOLLOWS in page(client, appointment)
    reschedule_appointment(appointment=appointment, starts_at=at(days=4))
    cancel_appointment(appointment=appointment)
    assert {mail.template for mail in OutgoingMail.objects.filter(recipient="dana@example.com")} == {
        "booking_requested",
        "booking_changed",
        "booking_cancelled",
    }
    assert LINK not in sent()
    assert "Video call" not in page(client, appointment)


@pytest.mark.django_db(transaction=True)
def test_a_deposit_that_is_not_paid_withholds_it(client: Client) -> None:
    appointment = make_appointment(make_service(deposit_cents=1000, video_url=LINK), starts_at=at(days=3))
    assert LINK not in page(client, appointment)
    assert FOLLOWS in page(client, appointment)
    pay(appointment)
    assert LINK in page(client, appointment)
    assert LINK in sent()


@pytest.mark.parametrize("end", [cancel_appointment, complete_appointment, mark_no_show])
def test_it_is_gone_when_the_appointment_is_over(client: Client, end: Callable[..., object]) -> None:
    appointment = make_appointment(make_service(video_url=LINK))
    end(appointment=appointment)
    assert LINK not in page(client, appointment)
    assert FOLLOWS not in page(client, appointment)


@pytest.mark.both_databases
def test_pages_that_anybody_can_see_do_not_have_it(client: Client) -> None:
    service = make_appointment(make_service("Review", video_url=LINK)).service
    when = int(at(days=3).timestamp())
    for path in ("/booking", f"/booking/services/{service.slug}", f"/booking/services/{service.slug}/book?start={when}"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert LINK not in answer.content.decode()


def test_the_api_does_not_have_it(booking_api: Api) -> None:
    appointment = make_appointment(make_service(video_url=LINK))
    assert LINK not in booking_api.get(f"booking/appointments/{appointment.pk}").content.decode()


@pytest.mark.both_databases
def test_staff_see_it_always(client: Client, admin_client: Client) -> None:
    appointment = requested(location="Room 2")
    feed = client.get(f"/booking/staff/{appointment.staff.feed_key}.ics")
    (event,) = Calendar.from_ical(feed.content).walk("VEVENT")
    assert (str(event["STATUS"]), str(event["LOCATION"])) == ("TENTATIVE", f"Room 2, {LINK}")
    assert f'href="{LINK}"' in admin_client.get(admin_url(appointment.pk)).content.decode()


@pytest.mark.parametrize(
    ("location", "link", "status", "customers", "staff"),
    [
        ("", "", "confirmed", "", ""),
        ("Room 2", "", "pending", "Room 2", "Room 2"),
        ("Room 2", LINK, "pending", "Room 2", f"Room 2, {LINK}"),
        ("", LINK, "pending", "Video call", LINK),
        ("", LINK, "cancelled", "Video call", LINK),
        ("", LINK, "confirmed", LINK, LINK),
        ("Room 2", LINK, "confirmed", f"Room 2, {LINK}", f"Room 2, {LINK}"),
    ],
)
def test_the_place(location: str, link: str, status: str, customers: str, staff: str) -> None:
    appointment = Appointment(location=location, video_url=link, status=status)
    assert (mails.where(appointment), mails.staff_where(appointment)) == (customers, staff)
