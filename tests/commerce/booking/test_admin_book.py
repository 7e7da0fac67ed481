"""Appointments that are booked by hand, and the page that finds a time."""

from datetime import UTC, datetime, time
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.booking.admin.parameters import as_typed
from commerce.booking.models import Appointment
from tests import people
from tests.submitting import shown_key

from .builders import at, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")

NEW, OPENINGS = "/admin/booking/appointments/new/", "/admin/booking/appointments/openings/"


@pytest.fixture(autouse=True)
def utc(booking: None) -> None:
    set_setting(key="site.timezone", value="UTC")


def typed(**moment: Any) -> str:
    return f"{at(**moment):%Y-%m-%d %H:%M}"


def posted(service: Any, **changes: str) -> dict[str, str]:
    customer = {"name": "Dana Reyes", "email": "Dana@example.com", "phone": "802", "note": "By phone"}
    return {"service": str(service.pk), "staff": "", "start": typed(), **customer, **changes}


def test_it_works(admin_client: Client) -> None:
    service = make_service("Massage", deposit_cents=1000, requires_approval=True)
    make_staff(service, name="Robin")
    answer = admin_client.post(NEW, posted(service), follow=True)
    booked = Appointment.objects.get()
    assert (booked.status, booked.starts_at, booked.staff_name) == ("confirmed", at(), "Robin")
    assert (booked.name, booked.email, booked.phone, booked.notes) == ("Dana Reyes", "dana@example.com", "802", "By phone")
    assert (booked.deposit_cents, booked.user, booked.timezone) == (0, None, "UTC")
    assert answer.redirect_chain == [(f"/admin/booking/appointments/inspect/{booked.pk}/", 302)]
    page = answer.content.decode()
    assert "Massage booked for" in page
    assert "Note that" not in page
    assert OutgoingMail.objects.filter(template="booking_confirmed").count() == 1


def test_a_form_that_is_sent_twice_books_one_time(admin_client: Client) -> None:
    """With anyone who is free, the second click would find somebody else."""
    service = make_service()
    for name in ("Robin", "Kim"):
        make_staff(service, name=name)
    values = posted(service, once=shown_key(admin_client, NEW))
    first, second = (admin_client.post(NEW, values) for _ in range(2))
    assert first.headers["Location"] == second.headers["Location"]
    assert Appointment.objects.count() == 1
    assert admin_client.post(NEW, {**values, "once": shown_key(admin_client, NEW)}).status_code == 302
    assert Appointment.objects.count() == 2


def test_times_that_customers_cannot_book_are_booked_with_a_warning(admin_client: Client) -> None:
    service = make_service(notice_minutes=60 * 24 * 7)
    make_staff(service, hours=[{"weekday": day, "opens": time(9), "closes": time(12)} for day in range(7)])
    page = admin_client.post(NEW, posted(service, start=typed(hour=20)), follow=True).content.decode()
    assert "Note that it is on shorter notice than customers have, and outside working hours." in page
    assert Appointment.objects.count() == 1


def test_what_makes_no_sense_is_refused(admin_client: Client) -> None:
    service = make_service()
    make_staff(service)
    for field, value in [
        ("service", "99999"),
        ("start", "tomorrow"),
        ("start", "0001-01-01 00:00"),
        ("email", "dana"),
        ("note", "\0"),
    ]:
        answer = admin_client.post(NEW, {**posted(service), field: value})
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {field}
        assert not Appointment.objects.exists()


def test_a_time_that_is_taken_is_refused(admin_client: Client) -> None:
    booked = make_appointment()
    answer = admin_client.post(NEW, posted(booked.service, staff=str(booked.staff_id)))
    assert set(answer.context["form"].errors) == {"start"}
    other = make_staff()
    answer = admin_client.post(NEW, posted(booked.service, staff=str(other.pk)))
    assert set(answer.context["form"].errors) == {"staff"}
    assert Appointment.objects.count() == 1


def test_the_form_begins_with_what_the_address_names(admin_client: Client) -> None:
    service = make_service("Massage")
    staff = make_staff(service, name="Robin")
    query = {"service": service.pk, "staff": staff.pk, "starts_at": "2030-05-01 09:00"}
    page = admin_client.get(NEW, query).content.decode()
    for words in ('value="2030-05-01 09:00"', f'value="{service.pk}" selected', f"?service={service.pk}&amp;staff={staff.pk}"):
        assert words in page
    for hostile in ({"service": "\0"}, {"staff": "9" * 30}, {"starts_at": "\0"}, {"starts_at": "x" * 9000}):
        assert admin_client.get(NEW, hostile).status_code == 200


def test_a_chosen_time_that_comes_twice_keeps_its_zone(admin_client: Client) -> None:
    set_setting(key="site.timezone", value="Europe/Paris")
    moments = [datetime(2030, 10, 27, hour, 30, tzinfo=UTC) for hour in (0, 1)]
    for moment, shown in zip(moments, ("2030-10-27 02:30 CEST", "2030-10-27 02:30 CET"), strict=True):
        form = admin_client.get(NEW, {"starts_at": as_typed(moment)}).context["form"]
        assert form["start"].value() == shown
        assert form.fields["start"].clean(shown) == moment


def test_it_finds_a_time(admin_client: Client) -> None:
    service = make_service(duration_minutes=120)
    hours = [{"weekday": day, "opens": time(9), "closes": time(13)} for day in range(7)]
    robin, mira = make_staff(service, hours=hours, name="Robin"), make_staff(service, hours=hours, name="Mira")
    make_appointment(service, robin, at(days=9))
    day = str(at(days=9).date())

    def times(**query: Any) -> list[str]:
        page = admin_client.get(OPENINGS, {"service": service.pk, "date": day, **query})
        assert page.status_code == 200
        return [each["url"] for each in page.context["openings"]["days"][at(days=9).weekday()]["times"]]

    assert len(times()) == 2
    assert len(times(staff=mira.pk)) == 2
    (left,) = times(staff=robin.pk)
    assert left == f"{NEW}?service={service.pk}&staff={robin.pk}&starts_at={at(days=9):%Y-%m-%d}+11%3A00"
    assert f'value="{at(days=9):%Y-%m-%d} 11:00"' in admin_client.get(left).content.decode()


def test_it_names_the_reason_of_each_member_of_staff(admin_client: Client) -> None:
    service = make_service()
    make_staff(service, name="Robin", hours=[])
    query = {"service": service.pk, "date": str(at(days=30).date())}
    assert admin_client.get(OPENINGS, query).context["openings"]["days"][0]["reason"] == "Not working."
    make_staff(service, name="Mira", hours=[{"weekday": day, "opens": time(9), "closes": time(9, 30)} for day in range(7)])
    reason = admin_client.get(OPENINGS, query).context["openings"]["days"][0]["reason"]
    assert reason == "Mira: the hours are shorter than the service. Robin: not working."
    nobody = admin_client.get(OPENINGS, {**query, "service": make_service().pk})
    assert nobody.context["openings"]["days"][0]["reason"] == "Nobody offers this service."


def test_a_class_shows_its_seats(admin_client: Client) -> None:
    service = make_service(capacity=3)
    staff = make_staff(service)
    make_appointment(service, staff, at(days=8))
    query = {"service": service.pk, "date": str(at(days=8).date())}
    assert "2 seats" in admin_client.get(OPENINGS, query).content.decode()


def test_hostile_parameters_are_not_found(admin_client: Client) -> None:
    for query in [
        {"service": "\0"},
        {"staff": "x"},
        {"date": "0001-01-01"},
    ]:
        assert admin_client.get(OPENINGS, query).status_code == 404


@pytest.mark.both_databases
def test_it_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    service = make_service()

    def statements() -> int:
        staff = make_staff(service)
        make_appointment(service, staff, at(days=5))
        query = {"service": service.pk, "date": str(at(days=5).date())}
        admin_client.get(OPENINGS, query)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(OPENINGS, query).status_code == 200
        return len(caught)

    few = statements()
    statements()
    assert statements() <= few


def test_editors_cannot_book(sign_in: Any) -> None:
    service = make_service()
    make_staff(service)
    editor = sign_in(people.bob())
    assert editor.post(NEW, posted(service)).status_code in {302, 403}
    assert not Appointment.objects.exists()
