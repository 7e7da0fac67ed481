"""Appointments in the admin: the list, the page of one, its buttons, and people who are kept out."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment
from commerce.booking.services import (
    cancel_appointment,
    complete_appointment,
    confirm_appointment,
    mark_no_show,
    paying,
)
from commerce.booking.types.appointments import AppointmentStatus
from tests import people
from tests.visitor import hidden, inputs

from .builders import at, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")

APPOINTMENTS = "/admin/booking/appointments/"
ENDS = {
    AppointmentStatus.CANCELLED: cancel_appointment,
    AppointmentStatus.COMPLETED: complete_appointment,
    AppointmentStatus.NO_SHOW: mark_no_show,
}


def of_status(status: AppointmentStatus) -> Appointment:
    booked = make_appointment(make_service(requires_approval=status == AppointmentStatus.PENDING))
    if end := ENDS.get(status):
        end(appointment=booked)
    booked.refresh_from_db()
    assert booked.status == status
    return booked


OFFERED = {
    AppointmentStatus.PENDING: {"confirm", "reschedule", "cancel"},
    AppointmentStatus.CONFIRMED: {"complete", "no-show", "reschedule", "record-payment", "cancel"},
    AppointmentStatus.CANCELLED: set(),
    AppointmentStatus.COMPLETED: {"record-payment"},
    AppointmentStatus.NO_SHOW: set(),
}
ACTIONS = {
    "confirm": "confirmed",
    "complete": "completed",
    "no-show": "no_show",
    "cancel": "cancelled",
    "reschedule": "",
    "record-payment": "",
}


@pytest.mark.parametrize("status", OFFERED)
def test_buttons_are_offered_and_pressed_where_they_work(status: AppointmentStatus, admin_client: Client) -> None:
    """All that are refused on one appointment, and each that works on one of its own."""
    booked = of_status(status)
    page = admin_client.get(f"{APPOINTMENTS}inspect/{booked.pk}/").content.decode()
    assert {action for action in ACTIONS if f"{APPOINTMENTS}{action}/{booked.pk}/" in page} == OFFERED[status]
    actions = [action for action, becomes in ACTIONS.items() if becomes]
    for action in sorted(actions, key=lambda action: action in OFFERED[status]):
        pressed = of_status(status) if action in OFFERED[status] else booked
        assert admin_client.post(f"{APPOINTMENTS}{action}/{pressed.pk}/").status_code == 302
        pressed.refresh_from_db()
        assert pressed.status == (ACTIONS[action] if action in OFFERED[status] else status), action


def test_it_shows_everything(admin_client: Client) -> None:
    set_setting(key="site.timezone", value="Asia/Tokyo")
    question = {"key": "knee", "label": "Which knee?", "type": "text", "required": True}
    service = make_service("Massage", questions=[question], location="Room 2", video_url="https://meet.example.com/a")
    make_staff(service, name="Robin Vale")
    booked = make_appointment(service, phone="802 555", notes="Mind the <step>", answers={"knee": "The left"})
    paying.APPOINTMENTS.record_payment(booked, {"method": "cash", "amount_cents": 2000})
    page = admin_client.get(f"{APPOINTMENTS}inspect/{booked.pk}/").content.decode()
    for words in (
        *("Massage, Dana Reyes", "Robin Vale", "dana@example.com", "802 555", "Room 2", "Mind the &lt;step&gt;"),
        *("Which knee?", "The left", "$50.00", "$20.00", "$30.00", "6:00", "(America/New York)", "https://meet.example.com/a"),
        *("Customer&#x27;s page", "Open payment", "Booked", "Confirmed", "Paid $20.00"),
    ):
        assert words in page, words


@pytest.mark.both_databases
def test_the_list_filters_searches_and_exports(admin_client: Client) -> None:
    one, two = make_appointment(make_service("Massage")), make_appointment(make_service("Yoga"), email="ruth@example.com")
    past = make_appointment(starts_at=timezone.now() - timedelta(days=3), by_staff=True)
    cancel_appointment(appointment=two)

    def shown(**query: str) -> set[int]:
        answer = admin_client.get(APPOINTMENTS, query)
        assert answer.status_code == 200
        return {each.pk for each in answer.context["object_list"]}

    assert shown() == {one.pk, two.pk, past.pk}
    assert shown(status="upcoming") == {one.pk}
    assert shown(status="cancelled") == {two.pk}
    assert shown(service=str(two.service_id)) == {two.pk}
    assert shown(staff=str(one.staff_id)) == {one.pk}
    assert shown(starts_at_to=str(timezone.localdate() - timedelta(days=1))) == {past.pk}
    assert shown(created_at_from=str(timezone.localdate() + timedelta(days=2))) == set()
    assert shown(q="ruth") == {two.pk}
    for hostile in (
        *({"status": "x"}, {"status": "\0"}, {"service": "9" * 30}, {"staff": "\0"}, {"q": "\0"}),
        *({"starts_at_from": "0001-01-01"}, {"created_at_to": "9999-12-31"}, {"ordering": "\0"}, {"p": "x"}),
    ):
        assert admin_client.get(APPOINTMENTS, hostile).status_code in {200, 404}
    lines = admin_client.get(APPOINTMENTS, {"export": "csv", "q": "ruth"}).getvalue().decode().splitlines()
    assert lines[0].startswith("Service,Staff,Status,Name,Email,Phone,Starts,Ends,Time zone,Place,")
    assert lines[1].startswith(f"Yoga,{two.staff_name},cancelled,Dana Reyes,ruth@example.com,,")


def test_a_formula_is_not_run_by_a_spreadsheet(admin_client: Client) -> None:
    make_appointment(notes="=1+1")
    assert b",'=1+1," in admin_client.get(APPOINTMENTS, {"export": "csv"}).getvalue()


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    def statements() -> int:
        make_appointment()
        admin_client.get(APPOINTMENTS)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(APPOINTMENTS).status_code == 200
        return len(caught)

    few = statements()
    make_appointment()
    assert statements() <= few


def test_it_is_rescheduled(admin_client: Client) -> None:
    set_setting(key="site.timezone", value="UTC")
    service = make_service()
    robin = make_staff(service, name="Robin")
    mira = make_staff(service, name="Mira", hours=[])
    booked = make_appointment(service, robin)
    path = f"{APPOINTMENTS}reschedule/{booked.pk}/"
    assert f'value="{at():%Y-%m-%d %H:%M}' in admin_client.get(path).content.decode()
    answer = admin_client.post(path, {"starts_at": f"{at(days=2, hour=14):%Y-%m-%d %H:%M}", "staff": str(mira.pk)}, follow=True)
    booked.refresh_from_db()
    assert (booked.starts_at, booked.staff) == (at(days=2, hour=14), mira)
    page = answer.content.decode()
    assert "Note that it is outside working hours." in page
    assert "Rescheduled to" in page
    assert OutgoingMail.objects.filter(template="booking_changed").count() == 1
    admin_client.post(path, {"starts_at": f"{at(days=3):%Y-%m-%d %H:%M}", "staff": str(robin.pk)})
    assert "Note that" not in admin_client.get(APPOINTMENTS).content.decode()


def test_a_new_time_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    """The last one is the time of somebody else."""
    set_setting(key="site.timezone", value="UTC")
    service = make_service()
    staff = make_staff(service)
    booked = make_appointment(service, staff)
    make_appointment(service, staff, at(days=2), email="ruth@example.com")
    for changes, field in [
        ({"starts_at": "x"}, "starts_at"),
        ({"starts_at": "9999-12-31 23:59"}, "starts_at"),
        ({"staff": "99999"}, "staff"),
        ({}, "starts_at"),
    ]:
        values = {"starts_at": f"{at(days=2):%Y-%m-%d %H:%M}", "staff": str(staff.pk), **changes}
        answer = admin_client.post(f"{APPOINTMENTS}reschedule/{booked.pk}/", values)
        assert answer.status_code == 422
        assert set(answer.context["entry_form"].errors) == {field}
        booked.refresh_from_db()
        assert booked.starts_at == at()


def test_a_payment_is_recorded(admin_client: Client) -> None:
    booked = make_appointment()
    path = f"{APPOINTMENTS}record-payment/{booked.pk}/"
    assert "Amount (at most $50.00)" in admin_client.get(path).content.decode()
    values = {"amount_cents": "20", "most_cents": "5000", "method": "cash", "paid_at": "", "reference": "", "note": ""}
    for wrong in ({"amount_cents": "51"}, {"amount_cents": "0"}, {"method": "online"}, {"most_cents": "1"}, {"note": "\0"}):
        assert admin_client.post(path, {**values, **wrong}).status_code == 422
    assert admin_client.post(path, values).status_code == 302
    # The same form again.
    assert admin_client.post(path, values).status_code == 422
    booked.refresh_from_db()
    assert booked.amount_paid_cents == 2000


def test_a_page_that_asks_shows_the_record_as_it_is(admin_client: Client) -> None:
    """Somebody else changes it while the page is open: the page asks again, and then does it once."""
    booked = make_appointment()
    path = f"{APPOINTMENTS}cancel/{booked.pk}/"
    shown = hidden(admin_client, path)
    paying.APPOINTMENTS.record_payment(booked, {"amount_cents": 5000, "method": "cash"})
    answer = admin_client.post(path, shown)
    booked.refresh_from_db()
    assert (answer.status_code, booked.status) == (422, "confirmed")
    assert "has changed since this page was shown" in answer.content.decode()
    again = {**shown, **inputs(answer.content.decode())}
    assert again["shown"] != shown["shown"]
    assert admin_client.post(path, again).status_code == 302
    booked.refresh_from_db()
    assert booked.status == "cancelled"
    # A second click was carried out, and does not ask again.
    assert admin_client.post(path, again).status_code == 302


def test_it_is_confirmed_by_hand_before_its_deposit_is_paid(admin_client: Client) -> None:
    booked = make_appointment(make_service(deposit_cents=1000))
    assert "Awaiting its deposit" in admin_client.get(APPOINTMENTS).content.decode()
    admin_client.post(f"{APPOINTMENTS}confirm/{booked.pk}/")
    booked.refresh_from_db()
    assert booked.status == "confirmed"
    assert confirm_appointment(appointment=booked) is False


def test_editors_are_kept_out(sign_in: Callable[[Any], Client]) -> None:
    booked = make_appointment()
    editor = sign_in(people.bob())
    for path in ("", f"inspect/{booked.pk}/", f"history/{booked.pk}/", "new/", "calendar/", "openings/"):
        answer = editor.get(f"{APPOINTMENTS}{path}")
        assert answer.status_code in {302, 403}
        assert b"Dana" not in answer.content
    for action in ACTIONS:
        editor.post(f"{APPOINTMENTS}{action}/{booked.pk}/")
    booked.refresh_from_db()
    assert (booked.status, booked.starts_at) == ("confirmed", at())
    manager = sign_in(people.mallory_manager())
    for path in ("", f"inspect/{booked.pk}/", "new/", "calendar/", "openings/"):
        assert manager.get(f"{APPOINTMENTS}{path}").status_code == 200
