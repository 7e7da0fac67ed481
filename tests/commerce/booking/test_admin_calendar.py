"""The calendar of staff: what it shows and where, on the site's clock, and what it does with hostile parameters."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import HttpRequest
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import set_setting
from commerce.booking.admin import CALENDAR
from commerce.booking.admin.diary import Column, place
from commerce.booking.models import Appointment, BookedSlot, BusyTime
from commerce.booking.selectors.calendar import MAX_RECORDS
from commerce.booking.services import cancel_appointment, complete_appointment, save_override, save_time_off
from tests import people

from .builders import at, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")

CALENDAR_PAGE = "/admin/booking/appointments/calendar/"
OFFICE = [{"weekday": day, "opens": time(9), "closes": time(17)} for day in range(7)]


@pytest.fixture(autouse=True)
def utc(booking: None) -> None:
    set_setting(key="site.timezone", value="UTC")


def columns(client: Client, **query: Any) -> list[Column]:
    answer = client.get(CALENDAR_PAGE, query)
    assert answer.status_code == 200
    found: list[Column] = answer.context["columns"]
    return found


def day(days: int = 1) -> str:
    return str(at(days=days).date())


def test_it_works(admin_client: Client) -> None:
    service = make_service("Massage", duration_minutes=90)
    robin, mira = make_staff(service, name="Robin", hours=OFFICE), make_staff(service, name="Mira", hours=[])
    booked = make_appointment(service, robin, at(hour=10, minute=30))
    gone = make_appointment(service, robin, at(hour=13, minute=30), email="ruth@example.com")
    cancel_appointment(appointment=gone)
    BusyTime.objects.create(staff=mira, starts_at=at(hour=8), ends_at=at(hour=9))
    save_time_off(values={"staff": mira, "starts_at": at(hour=12), "ends_at": at(days=3), "note": "Fair"})
    second, first = columns(admin_client, date=day())
    (block,) = first.blocks
    assert (block.title, block.text, block.begins, block.ends) == ("Dana Reyes", "Massage", "10:30\xa0AM", "12:00\xa0PM")
    assert block.place == "at-h10 at-m6 for-h1 for-m6"
    assert block.url == f"/admin/booking/appointments/inspect/{booked.pk}/"
    assert block.move_url == f"/admin/booking/appointments/reschedule/{booked.pk}/"
    assert first.note == "9:00\xa0AM to 5:00\xa0PM"
    assert [each.place for each in first.hours] == ["at-h9 at-m0 for-h8 for-m0"]
    assert [(each.kind, each.title, each.place) for each in second.blocks] == [
        ("busy", "Busy", "at-h8 at-m0 for-h1 for-m0"),
        ("off", "Time off", "at-h12 at-m0 for-h6 for-m0"),
    ]
    assert (second.note, second.free) == ("Not working", [])


def test_free_hours_lead_to_the_form(admin_client: Client) -> None:
    service = make_service()
    staff = make_staff(service, hours=OFFICE)
    make_appointment(service, staff, at(hour=10))
    (column,) = columns(admin_client, date=day())
    assert [each.starts_at.hour for each in column.free] == [9, 11, 12, 13, 14, 15, 16]
    page = admin_client.get(column.free[1].url).content.decode()
    assert f'value="{day()} 11:00"' in page
    assert f'value="{staff.pk}" selected' in page


def test_a_class_is_one_block_with_its_seats(admin_client: Client) -> None:
    service = make_service("Yoga", capacity=8)
    staff = make_staff(service)
    people_ = [make_appointment(service, staff, email=f"{number}@example.com") for number in range(3)]
    complete_appointment(appointment=people_[0])
    (column,) = columns(admin_client, date=day())
    (block,) = column.blocks
    assert (block.kind, block.title, block.text, block.move_url) == ("class", "Yoga", "3 of 8 seats", "")
    assert {each.pk for each in admin_client.get(block.url).context["object_list"]} == {each.pk for each in people_}


def test_a_week_of_one_member_and_of_all(admin_client: Client) -> None:
    service = make_service("Massage")
    robin, mira = make_staff(service, name="Robin", hours=OFFICE), make_staff(service, name="Mira", hours=OFFICE)
    for staff in (robin, mira):
        make_appointment(service, staff, at(days=8))
    save_override(values={"staff": robin, "date": at(days=8).date(), "periods": [("06:00", "10:00")]})
    week = columns(admin_client, view="week", date=day(8), staff=robin.pk)
    assert [each.day.weekday() for each in week] == list(range(7))
    shown = week[at(days=8).weekday()]
    assert ([each.title for each in shown.blocks], shown.note) == (["Dana Reyes"], "6:00\xa0AM to 10:00\xa0AM")
    everybody = columns(admin_client, view="week", date=day(8))[at(days=8).weekday()]
    assert [each.text for each in everybody.blocks] == ["Massage, Mira", "Massage, Robin"]
    assert "cal--list" in admin_client.get(CALENDAR_PAGE, {"view": "week"}).content.decode()


def test_it_is_on_the_clock_of_the_site_and_cut_at_midnight(admin_client: Client) -> None:
    service = make_service(duration_minutes=180)
    staff = make_staff(service)
    make_appointment(service, staff, at(hour=14), by_staff=True)
    set_setting(key="site.timezone", value="Asia/Tokyo")
    # 14:00 in UTC is 23:00 in Tokyo.
    (before,) = columns(admin_client, date=day())
    (after,) = columns(admin_client, date=day(2))
    assert [(each.begins, each.ends) for each in before.blocks] == [("11:00\xa0PM", "")]
    assert [(each.begins, each.ends) for each in after.blocks] == [("", "2:00\xa0AM")]
    assert before.blocks[0].place == "at-h23 at-m0 for-h1 for-m0"
    assert after.blocks[0].place == "at-h0 at-m0 for-h2 for-m0"
    page = admin_client.get(CALENDAR_PAGE, {"date": day(2)}).content.decode()
    for words in ("from-h0", "Asia/Tokyo", "Until 2:00\xa0AM"):
        assert words in page


@pytest.mark.parametrize("change", [date(2030, 3, 31), date(2030, 10, 27)])
def test_hours_are_those_of_the_clock_on_the_days_of_its_change(change: date, admin_client: Client) -> None:
    set_setting(key="site.timezone", value="Europe/Berlin")
    make_staff(timezone="Europe/Berlin", hours=OFFICE)
    (column,) = columns(admin_client, date=str(change))
    assert [each.place for each in column.hours] == ["at-h9 at-m0 for-h8 for-m0"]


def test_something_short_has_room_for_its_text() -> None:
    assert place(540, 545) == "at-h9 at-m0 for-h0 for-m4"


@pytest.mark.parametrize(
    "query",
    [
        {"view": "\0"},
        {"date": "0001-01-01"},
        {"staff": "99999"},
        {"staff": "9" * 5000},
    ],
)
def test_hostile_parameters_are_not_found(query: dict[str, str], admin_client: Client) -> None:
    assert admin_client.get(CALENDAR_PAGE, query).status_code == 404


@pytest.mark.parametrize("edge", ["1970-01-05", "2199-12-31"])
@pytest.mark.parametrize("view", ["day", "week"])
def test_the_first_and_the_last_day_can_be_shown(edge: str, view: str, admin_client: Client) -> None:
    make_staff()
    assert admin_client.get(CALENDAR_PAGE, {"date": edge, "view": view}).status_code == 200


def test_it_is_empty_without_staff(admin_client: Client) -> None:
    assert "There is no staff yet." in admin_client.get(CALENDAR_PAGE).content.decode()


@pytest.mark.parametrize("view", ["day", "week"])
@pytest.mark.both_databases
def test_it_takes_a_constant_number_of_statements(view: str, admin_client: Client) -> None:
    def statements() -> int:
        booked = make_appointment(make_service(capacity=2))
        BusyTime.objects.create(staff=booked.staff, starts_at=at(hour=8), ends_at=at(hour=9))
        query = {"date": day(), "view": view}
        admin_client.get(CALENDAR_PAGE, query)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(CALENDAR_PAGE, query).status_code == 200
        return len(caught)

    few = statements()
    statements()
    assert statements() <= few


def test_it_shows_no_more_than_it_can(admin_client: Client) -> None:
    booked = make_appointment()
    staff = [make_staff() for _ in range(21)]
    page = admin_client.get(CALENDAR_PAGE, {"date": day()})
    assert "Only 20 members of staff are shown." in page.content.decode()
    assert len(page.context["columns"]) == 20
    begin = datetime.combine(at().date(), time(), tzinfo=UTC)
    slots = BookedSlot.objects.bulk_create(
        BookedSlot(staff=each, service=booked.service, starts_at=start, ends_at=end, occupied_from=start, occupied_until=end)
        for each in staff
        for start, end in ((begin + timedelta(minutes=10 * n), begin + timedelta(minutes=10 * n + 10)) for n in range(30))
    )
    Appointment.objects.bulk_create(_copy(booked, slot) for slot in slots)
    week = admin_client.get(CALENDAR_PAGE, {"date": day(), "view": "week"})
    assert "There is too much to show at once." in week.content.decode()
    assert sum(len(each.blocks) for each in week.context["columns"]) == MAX_RECORDS


def _copy(booked: Appointment, slot: BookedSlot) -> Appointment:
    own = {"id", "slot_id", "link_key", "external_key"}
    names = [each.attname for each in Appointment._meta.concrete_fields if each.attname not in own]
    found = Appointment(**{name: getattr(booked, name) for name in names})
    found.slot, found.staff, found.starts_at, found.ends_at = slot, slot.staff, slot.starts_at, slot.ends_at
    return found


def test_the_menu_leads_to_it_for_people_who_may_see_appointments() -> None:
    def is_shown(request: HttpRequest) -> bool:
        return CALENDAR.is_shown(request)

    assert is_shown(people.request_by(people.mallory_manager()))
    assert not is_shown(people.request_by(people.bob()))
