"""The page of an appointment: what it says in each status, and rescheduling, cancelling and paying by the link in emails."""

from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone
from icalendar import Calendar

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment
from commerce.booking.selectors.appointments import MANAGE_LINK
from commerce.booking.services import (
    APPOINTMENTS,
    cancel_appointment,
    complete_appointment,
    confirm_appointment,
    mark_no_show,
    renew_feed,
    save_staff,
)
from commerce.payments.models import Payment
from tests import people
from tests.visitor import hidden

from .builders import at, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")


def html(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def start(days: int, **query: Any) -> str:
    return "?" + urlencode({"start": int(at(days=days).timestamp()), **query})


@pytest.mark.both_databases
def test_it_shows_the_appointment(client: Client) -> None:
    service = make_service("Massage", location="14 Canal Street", video_url="https://meet.example/room", duration_minutes=45)
    booked = make_appointment(service, make_staff(service, name="Robin Vale"), at(days=3), notes="Early riser")
    answer = client.get(MANAGE_LINK.path(booked))
    page = unescape(answer.content.decode())
    for words in (
        "Massage",
        "Your appointment is confirmed.",
        "(America/New York)",
        "45 minutes",
        "Robin Vale",
        "14 Canal Street",
    ):
        assert words in page
    for words in (
        'href="https://meet.example/room"',
        "Early riser",
        "$50.00",
        "Reschedule",
        "Cancel appointment",
        "Add to calendar",
    ):
        assert words in page
    assert answer.headers["Cache-Control"] == "no-store, private"
    assert "noindex" in answer.headers["X-Robots-Tag"]


def test_it_says_each_status(client: Client) -> None:
    def shown(booked: Appointment) -> str:
        return html(client, MANAGE_LINK.path(booked))

    asked = make_appointment(make_service(requires_approval=True))
    assert "We'll email you when it's confirmed." in shown(asked)
    assert "Awaiting confirmation" in shown(asked)
    unpaid = make_appointment(make_service(deposit_cents=2000))
    for words in ("Pay the deposit to book", "Awaiting payment", "Deposit due now"):
        assert words in shown(unpaid)
    confirm_appointment(appointment=unpaid)
    assert "Deposit due now" not in shown(unpaid)
    cancelled = make_appointment()
    cancel_appointment(appointment=cancelled)
    assert "This appointment has been cancelled." in shown(cancelled)
    done = make_appointment()
    complete_appointment(appointment=done)
    assert "Thank you for your visit." in shown(done)
    assert "Pay $50.00" in shown(done)
    missed = make_appointment()
    mark_no_show(appointment=missed)
    assert "You missed this appointment." in shown(missed)
    for over in (cancelled, done, missed):
        assert "Reschedule" not in shown(over)
        assert "Add to calendar" not in shown(over)


def test_a_link_is_good_for_its_own_appointment(client: Client) -> None:
    service = make_service(capacity=5)
    staff = make_staff(service)
    own, other = (
        make_appointment(service, staff, at(days=3), email=f"{name}@example.com", name=name) for name in ("Ada", "Benedict")
    )
    assert "Benedict" not in html(client, MANAGE_LINK.path(own))
    client.post(f"{MANAGE_LINK.path(own)}cancel")
    other.refresh_from_db()
    assert other.status == "confirmed"


def test_cancelling_asks_first(client: Client) -> None:
    booked = make_appointment(starts_at=at(days=3))
    path = f"{MANAGE_LINK.path(booked)}cancel"
    assert "Cancel this appointment?" in html(client, path)
    booked.refresh_from_db()
    assert booked.status == "confirmed"
    answer = client.post(path)
    booked.refresh_from_db()
    assert booked.status == "cancelled"
    assert "Your appointment has been cancelled." in html(client, answer.headers["Location"])
    assert OutgoingMail.objects.filter(template="booking_cancelled").count() == 1
    assert client.get(path).status_code == 302
    assert client.post(path).status_code == 302
    assert OutgoingMail.objects.filter(template="booking_cancelled").count() == 1


def test_it_is_not_cancelled_if_it_was_paid_since_the_page_was_shown(client: Client) -> None:
    booked = make_appointment(starts_at=at(days=3))
    path = f"{MANAGE_LINK.path(booked)}cancel"
    shown = hidden(client, path)
    APPOINTMENTS.record_payment(booked, {"amount_cents": 5000, "method": "cash"})
    answer = client.post(path, shown)
    booked.refresh_from_db()
    assert (booked.status, booked.amount_paid_cents) == ("confirmed", 5000)
    assert "has just been paid" in html(client, answer.headers["Location"])
    client.post(path, hidden(client, path))
    booked.refresh_from_db()
    assert booked.status == "cancelled"


@pytest.mark.parametrize("odd", ["", "-1", "x", "\u0663", "9" * 30])
def test_an_odd_amount_counts_as_none(odd: str, client: Client) -> None:
    booked = make_appointment(starts_at=at(days=3))
    assert client.post(f"{MANAGE_LINK.path(booked)}cancel", {"paid_cents": odd}).status_code == 302
    booked.refresh_from_db()
    assert booked.status == "cancelled"


def test_it_may_be_too_late(client: Client) -> None:
    service = make_service(cancel_notice_hours=48)
    booked = make_appointment(service, starts_at=at(days=1))
    page = MANAGE_LINK.path(booked)
    assert "It's too late to reschedule or cancel" in html(client, page)
    for action in ("cancel", "reschedule"):
        assert client.get(page + action).headers["Location"] == page
    assert client.post(f"{page}reschedule{start(5)}").headers["Location"] == page
    assert "It's too late" in html(client, client.post(f"{page}cancel").headers["Location"])
    booked.refresh_from_db()
    assert (booked.status, booked.starts_at) == ("confirmed", at(days=1))


def test_rescheduling(client: Client) -> None:
    service = make_service()
    staff = make_staff(service, name="Robin Vale")
    make_staff(service, name="Somebody else")
    booked = make_appointment(service, staff, at(days=3))
    path = f"{MANAGE_LINK.path(booked)}reschedule"
    answer = client.get(path, {"day": at(days=4).date().isoformat(), "tz": "UTC"})
    times = answer.context["choice"].times
    assert len(times) == 24
    confirm = html(client, times[9].url)
    assert "New time" in confirm
    assert "(UTC)" in confirm
    booked.refresh_from_db()
    assert booked.starts_at == at(days=3)
    moved = client.post(times[9].url)
    booked.refresh_from_db()
    assert (booked.starts_at, booked.staff, booked.timezone, booked.sequence) == (at(days=4), staff, "UTC", 1)
    assert "Your appointment has been rescheduled." in html(client, moved.headers["Location"])


def test_rescheduling_shows_times_on_the_customers_clock(client: Client) -> None:
    booked = make_appointment(starts_at=at(days=3), timezone="Asia/Tokyo")
    client.cookies["timezone"] = "America/New_York"
    answer = client.get(f"{MANAGE_LINK.path(booked)}reschedule")
    assert answer.context["choice"].zone.zone.key == "Asia/Tokyo"
    assert "timezone.js" not in answer.content.decode()


def test_rescheduling_to_a_time_that_was_taken(client: Client) -> None:
    service = make_service()
    staff = make_staff(service)
    booked = make_appointment(service, staff, at(days=3))
    make_appointment(service, staff, at(days=4), email="faster@example.com")
    path = f"{MANAGE_LINK.path(booked)}reschedule"
    answer = client.post(path + start(4, tz="Etc/GMT+5"))
    assert answer.headers["Location"] == f"{path}?tz=Etc%2FGMT%2B5"
    assert "This time has just been taken." in html(client, answer.headers["Location"])
    booked.refresh_from_db()
    assert booked.starts_at == at(days=3)


@pytest.mark.parametrize("query", ["", "?start=x", "?start=\0", "?start=9999999999", "?start=1", "?tz=x&start=0", "?day=x"])
def test_hostile_values_move_nothing(client: Client, query: str) -> None:
    booked = make_appointment(starts_at=at(days=3))
    path = f"{MANAGE_LINK.path(booked)}reschedule{query}"
    for answer in (client.get(path), client.post(path)):
        assert answer.status_code == 200
        assert "Choose a new time." in answer.content.decode()
    booked.refresh_from_db()
    assert booked.starts_at == at(days=3)


def test_staff_who_are_hidden_have_no_times(client: Client) -> None:
    booked = make_appointment(starts_at=at(days=3))
    save_staff(staff=booked.staff, values={"is_visible": False})
    assert "No times in" in html(client, f"{MANAGE_LINK.path(booked)}reschedule")


def test_the_balance_can_be_paid(client: Client) -> None:
    booked = make_appointment(starts_at=at(days=3))
    path = MANAGE_LINK.path(booked)
    assert "Pay $50.00" in html(client, path)
    assert client.get(f"{path}pay").status_code == 405
    assert client.post(f"{path}pay").headers["Location"].startswith("/payments/")
    assert Payment.objects.get().amount_cents == 5000
    set_setting(key="payments.allow_test_payments", value=False)
    assert "Pay $50.00" not in html(client, path)
    assert client.post(f"{path}pay").headers["Location"] == path
    cancel_appointment(appointment=booked)
    answer = client.post(f"{path}pay")
    assert "doesn't wait for a payment" in html(client, answer.headers["Location"])


def test_the_calendar_file(client: Client) -> None:
    booked = make_appointment(starts_at=at(days=3))
    answer = client.get(f"{MANAGE_LINK.path(booked)}appointment.ics")
    assert answer.headers["Content-Type"].startswith("text/calendar")
    event = Calendar.from_ical(answer.content).walk("VEVENT")[0]
    assert (event.start, event.end) == (at(days=3), at(days=3) + timedelta(hours=1))
    cancel_appointment(appointment=booked)
    assert client.get(f"{MANAGE_LINK.path(booked)}appointment.ics").status_code == 404


def feed(client: Client, key: str) -> list[str]:
    answer = client.get(f"/booking/staff/{key}.ics")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/calendar")
    assert answer.headers["Cache-Control"] == "no-store, private"
    return sorted(str(event["SUMMARY"]) for event in Calendar.from_ical(answer.content).walk("VEVENT"))


@pytest.mark.parametrize("change", ["email", "user"])
def test_the_feed_of_another_person(client: Client, change: str) -> None:
    former = {"email": "robin@example.com", "user": people.bob()}
    staff = make_staff(make_service("Massage"), **former)
    key = staff.feed_key
    staff = save_staff(staff=staff, values={"name": "Robin Vale", **former})
    assert staff.feed_key == key
    staff = save_staff(staff=staff, values={change: "kim@example.com" if change == "email" else people.mallory_manager()})
    assert client.get(f"/booking/staff/{key}.ics").status_code == 404
    assert feed(client, staff.feed_key) == []


def test_the_feed_ends_with_the_account(client: Client) -> None:
    editor = people.bob()
    staff = make_staff(make_service("Massage"), user=editor)
    assert feed(client, staff.feed_key) == []
    editor.is_active = False
    editor.save()
    assert client.get(f"/booking/staff/{staff.feed_key}.ics").status_code == 404


def test_the_feed_of_staff(client: Client) -> None:
    service = make_service("Massage")
    staff, other = make_staff(service), make_staff(service)
    booked = make_appointment(service, staff, at(days=3), name="Ada")
    make_appointment(service, staff, at(days=4), name="Ben")
    make_appointment(service, other, at(days=4), name="Cy")
    assert feed(client, staff.feed_key) == ["Massage: Ada", "Massage: Ben"]
    cancel_appointment(appointment=booked)
    assert feed(client, staff.feed_key) == ["Massage: Ben"]
    Appointment.objects.update(starts_at=timezone.now() - timedelta(days=91), ends_at=timezone.now() - timedelta(days=90))
    assert feed(client, staff.feed_key) == []


def test_a_feed_that_has_not_changed_is_not_sent_again(client: Client) -> None:
    service = make_service()
    staff = make_staff(service)
    path = f"/booking/staff/{staff.feed_key}.ics"
    tag = client.get(path).headers["ETag"]
    assert client.get(path, HTTP_IF_NONE_MATCH=tag).status_code == 304
    make_appointment(service, staff)
    assert client.get(path, HTTP_IF_NONE_MATCH=tag).status_code == 200


def test_a_renewed_feed_has_another_address(client: Client) -> None:
    staff = make_staff()
    former = staff.feed_key
    renewed = renew_feed(staff=staff)
    assert feed(client, renewed) == []
    for key in (former, "x", "%00", "x" * 5000, f"{renewed}x"):
        assert client.get(f"/booking/staff/{key}.ics").status_code == 404
    assert client.post(f"/booking/staff/{renewed}.ics").status_code == 405
