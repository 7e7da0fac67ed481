"""Staff in the admin: the form with hours, the private address, the outside calendar, and what can be booked."""

from collections.abc import Callable
from datetime import date, time, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.flags.services import set_setting
from commerce.booking.models import Staff
from commerce.booking.services import save_override, save_time_off
from tests import people

from .builders import at, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")

STAFF = "/admin/booking/staff/"


def hours_rows(*rows: dict[str, str]) -> dict[str, str]:
    """The fields that the editor of hours sends."""
    found = {"hours_editor-count": str(len(rows))}
    for number, changes in enumerate(rows):
        prefix = f"hours_editor-{number}"
        found |= {f"{prefix}-deleted": "", f"{prefix}-order": str(number), f"{prefix}-type": "hours", f"{prefix}-id": ""}
        values = {"weekday": "0", "opens": "09:00", "closes": "17:00", "service_id": "", **changes}
        found |= {f"{prefix}-value-{name}": value for name, value in values.items()}
    return found


def posted(*rows: dict[str, str], **changes: Any) -> dict[str, Any]:
    """The fields of a form of staff."""
    texts = {"name": "Robin Vale", "title": "Potter", "email": "robin@example.com", "description": "", "image_chosen": ""}
    more = {"timezone": "America/New_York", "calendar_url": "", "is_visible": "on", "position": "0"}
    return {**texts, **more, **hours_rows(*rows), **changes}


def test_it_works(admin_client: Client) -> None:
    one, two = make_service("Throwing"), make_service("Glazing")
    values = posted({}, {"weekday": "1", "opens": "18:00", "closes": "02:00", "service_id": str(two.pk)})
    assert admin_client.post(f"{STAFF}new/", {**values, "services": [str(one.pk), str(two.pk)]}).status_code == 302
    staff = Staff.objects.get()
    assert (staff.name, staff.timezone, set(staff.services.all())) == ("Robin Vale", "America/New_York", {one, two})
    assert list(staff.hours.values_list("weekday", "opens", "closes", "service_id")) == [
        (0, time(9), time(17), None),
        (1, time(18), time(2), two.pk),
    ]
    key = staff.feed_key
    edit = f"{STAFF}edit/{staff.pk}/"
    page = admin_client.get(edit).content.decode()
    for words in ("&quot;18:00&quot;", "Glazing", '<option value="America/New_York" selected>', "America/New York"):
        assert words in page
    admin_client.post(edit, posted(name="Robin", timezone="UTC", calendar_url="https://cal.example.com/a.ics"))
    staff.refresh_from_db()
    assert (staff.name, staff.timezone, staff.services.count(), staff.hours.count()) == ("Robin", "UTC", 0, 0)
    assert (staff.calendar_url, staff.feed_key) == ("https://cal.example.com/a.ics", key)


def test_a_new_member_begins_with_usual_hours_in_the_zone_of_the_site(admin_client: Client) -> None:
    set_setting(key="site.timezone", value="Asia/Tokyo")
    page = admin_client.get(f"{STAFF}new/").content.decode()
    assert '<option value="Asia/Tokyo" selected>' in page
    assert page.count("&quot;17:00&quot;") == 5


def test_staff_that_makes_no_sense_is_refused(admin_client: Client) -> None:
    for field, value in [
        ("name", "a\0b"),
        ("email", "robin"),
        ("timezone", "\0"),
        ("services", ["99999"]),
        ("image_chosen", "99999"),
        ("calendar_url", "file:///etc/passwd"),
    ]:
        answer = admin_client.post(f"{STAFF}new/", posted(**{field: value}))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {field}
        assert not Staff.objects.exists()


def test_hours_that_make_no_sense_are_refused(admin_client: Client) -> None:
    for rows in [
        [{"weekday": "\0"}],
        [{"opens": "25:00"}],
        [{"service_id": "99999"}],
        [{}, {"opens": "16:00", "closes": "18:00"}],
        [{}] * 101,
    ]:
        answer = admin_client.post(f"{STAFF}new/", posted(*rows))
        assert answer.status_code == 200
        assert set(answer.context["form"].errors) == {"hours_editor"}
        assert not Staff.objects.exists()


def test_forged_hours_are_no_server_error(admin_client: Client) -> None:
    for count in ("", "-1", "9" * 9):
        assert admin_client.post(f"{STAFF}new/", posted(**{"hours_editor-count": count})).status_code in {200, 302, 400}
    for service in ("\0", "9" * 30):
        assert admin_client.post(f"{STAFF}new/", posted(services=[service])).status_code in {200, 400}


def test_the_address_of_the_feed_is_renewed(admin_client: Client) -> None:
    staff = make_staff()
    page = f"{STAFF}inspect/{staff.pk}/"
    assert staff.feed_key in admin_client.get(page).content.decode()
    renew = f"{STAFF}renew-feed/{staff.pk}/"
    assert "stops working" in admin_client.get(renew).content.decode()
    admin_client.post(renew)
    renewed = Staff.objects.get().feed_key
    shown = admin_client.get(page).content.decode()
    assert renewed in shown
    assert staff.feed_key not in shown
    assert "The feed address was renewed" in shown


def test_the_state_of_the_outside_calendar(admin_client: Client) -> None:
    staff = make_staff(calendar_url="https://cal.example.com/a.ics")
    assert "Not read yet" in admin_client.get(STAFF).content.decode()
    Staff.objects.update(calendar_read_at=timezone.now())
    assert "Connected" in admin_client.get(STAFF).content.decode()
    Staff.objects.update(calendar_error="The server did not answer.")
    page = admin_client.get(f"{STAFF}inspect/{staff.pk}/").content.decode()
    assert "Failing" in page
    assert "The server did not answer. Last read" in page


def reasons(client: Client, path: str, **query: Any) -> list[str]:
    """Return a text for each day of the preview: the reason it has no times, or their number."""
    days = client.get(path, query).context["openings"]["days"]
    return [day["reason"] or str(len(day["times"])) for day in days]


def test_the_preview_shows_times_and_says_why_there_are_none(admin_client: Client) -> None:
    set_setting(key="site.timezone", value="UTC")
    service = make_service(duration_minutes=240, days_ahead=60)
    week = [{"weekday": day, "opens": time(8), "closes": time(16)} for day in range(4)]
    staff = make_staff(service, hours=week)
    monday = at(days=14) - timedelta(days=at(days=14).weekday())
    days = [(monday + timedelta(days=number)).replace(hour=8) for number in range(7)]
    save_override(values={"staff": staff, "date": days[1].date(), "periods": [("10:00", "12:00")]})
    save_time_off(values={"staff": None, "starts_at": days[2], "ends_at": days[3]})
    for start in (days[3], days[3] + timedelta(hours=4)):
        make_appointment(service, staff, start)
    path = f"{STAFF}inspect/{staff.pk}/"
    shown = reasons(admin_client, path, service=service.pk, date=str(days[4].date()))
    assert shown == [
        "2",
        "The hours are shorter than the service.",
        "Time off.",
        "Fully booked.",
        "Not working.",
        "Not working.",
        "Not working.",
    ]
    late = reasons(admin_client, path, service=service.pk, date=str((days[0] + timedelta(days=200)).date()))
    assert late[0] == "Further ahead than customers can book."
    assert set(reasons(admin_client, path, service=service.pk, date="2020-01-01")) == {"In the past."}


def test_the_preview_names_holidays(admin_client: Client) -> None:
    for key, value in (("site.timezone", "UTC"), ("booking.closed_on_holidays", True), ("booking.holiday_country", "DE")):
        set_setting(key=key, value=value)
    service = make_service(days_ahead=730)
    staff = make_staff(service)
    new_year = date(timezone.now().year + 1, 1, 1)
    shown = reasons(admin_client, f"{STAFF}inspect/{staff.pk}/", service=service.pk, date=str(new_year))
    assert shown[new_year.weekday()] == "Public holiday."


def test_hostile_parameters_are_not_found(admin_client: Client) -> None:
    staff = make_staff()
    for query in [
        {"service": "99999"},
        {"service": "9" * 30},
        {"date": "0001-01-01"},
        {"date": "\0"},
    ]:
        assert admin_client.get(f"{STAFF}inspect/{staff.pk}/", query).status_code == 404


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    def statements() -> int:
        make_staff(make_service(), make_service())
        admin_client.get(STAFF)
        with CaptureQueriesContext(connection) as caught:
            assert admin_client.get(STAFF).status_code == 200
        return len(caught)

    few = statements()
    make_staff(make_service())
    assert statements() <= few


def test_booked_staff_is_not_deleted(admin_client: Client) -> None:
    booked, unused = make_appointment().staff, make_staff()
    answer = admin_client.post(f"{STAFF}delete/{booked.pk}/", follow=True)
    assert "This member of staff has appointments." in answer.content.decode()
    admin_client.post(f"{STAFF}delete/{unused.pk}/")
    assert list(Staff.objects.all()) == [booked]


def test_editors_are_kept_out(sign_in: Callable[[Any], Client]) -> None:
    staff = make_staff(name="Robin")
    editor = sign_in(people.bob())
    for path in (STAFF, f"{STAFF}new/", f"{STAFF}edit/{staff.pk}/", f"{STAFF}inspect/{staff.pk}/"):
        answer = editor.get(path)
        assert answer.status_code in {302, 403}
        assert staff.feed_key not in answer.content.decode()
    editor.post(f"{STAFF}edit/{staff.pk}/", posted(name="Mine"))
    editor.post(f"{STAFF}renew-feed/{staff.pk}/")
    editor.post(f"{STAFF}delete/{staff.pk}/")
    assert list(Staff.objects.values_list("name", "feed_key")) == [("Robin", staff.feed_key)]
    assert sign_in(people.mallory_manager()).get(f"{STAFF}inspect/{staff.pk}/").status_code == 200
