"""The services to book, and the calendar of one: months, days and times in the visitor's time zone."""

from datetime import date, time, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.flags.services import set_setting
from commerce.booking.models import Service
from commerce.booking.services import save_service

from .builders import at, make_appointment, make_service, make_staff

pytestmark = pytest.mark.usefixtures("booking")


def path(service: Service) -> str:
    return f"/booking/services/{service.slug}"


def choice(client: Client, service: Service, **query: Any) -> Any:
    answer = client.get(path(service), query)
    assert answer.status_code == 200
    return answer.context["choice"]


def later(month: int) -> str:
    """A month of the next year that is at least two months ahead."""
    today = timezone.now().date()
    return f"{today.year + 1 + (today.month > 10 and month < 3)}-{month:02d}"


def test_the_list_shows_services_that_somebody_offers(client: Client) -> None:
    shown = make_service("Massage", description="For the back.", price_cents=9000, duration_minutes=90)
    make_staff(shown)
    make_service("Nobody offers this")
    hidden = make_service("Hidden", is_visible=False)
    make_staff(hidden)
    page = client.get("/booking").content.decode()
    for words in ("Massage", "For the back.", "1 hour 30 minutes", "$90.00", path(shown), '"OfferCatalog"', '"Offer"'):
        assert words in page
    assert "Nobody offers this" not in page
    assert "Hidden" not in page
    assert client.get(path(hidden)).status_code == 404


def test_the_list_is_cached_until_services_change(client: Client) -> None:
    assert "Nothing to book yet" in client.get("/booking").content.decode()
    service = make_service("Massage")
    staff = make_staff(service)
    assert "Massage" in client.get("/booking").content.decode()
    with CaptureQueriesContext(connection) as caught:
        client.get("/booking")
    assert len(caught) <= 3
    save_service(service=service, values={"name": "Reflexology"})
    assert "Reflexology" in client.get("/booking").content.decode()
    assert staff.name not in client.get("/booking").content.decode()


def test_a_service_shows_the_first_month_with_a_free_day(client: Client) -> None:
    service = make_service(notice_minutes=60 * 24 * 40, days_ahead=90)
    make_staff(service, name="Robin Vale", title="Masseur")
    answer = client.get(path(service))
    page = answer.content.decode()
    found = answer.context["choice"]
    first = timezone.now() + timedelta(days=40)
    assert found.month.first <= (first + timedelta(days=1)).date() <= found.month.last + timedelta(days=1)
    assert found.day is not None
    assert found.times
    assert "With Robin Vale" in page
    assert "Masseur" in page
    assert "no-store" in answer.headers["Cache-Control"]
    assert '"@type": "Service"' in page or '"@type":"Service"' in page


def test_months_end_with_notice_and_horizon(client: Client) -> None:
    service = make_service(days_ahead=70)
    make_staff(service)
    found = choice(client, service)
    assert found.previous is None
    steps = 0
    while found.next:
        found = choice(client, service, month=str(found.months.next(found.month)))
        assert found.previous is not None
        steps += 1
    assert 2 <= steps <= 3
    last = timezone.now() + timedelta(days=70)
    assert found.month.first <= last.date() <= found.month.last


def test_a_time_that_is_taken_is_not_offered(client: Client) -> None:
    service = make_service()
    staff = make_staff(service)
    day = at(days=5).date().isoformat()

    def starts() -> list[str]:
        return [each.text for each in choice(client, service, day=day, tz="UTC").times]

    before = starts()
    assert len(before) == 24
    make_appointment(service, staff, at(days=5))
    assert [each for each in before if each not in starts()] == ["9:00\xa0AM"]


def test_anyone_has_each_time_once(client: Client) -> None:
    service = make_service()
    one, two = make_staff(service, name="Ada"), make_staff(service, name="Ben")
    day = at(days=5).date().isoformat()
    make_appointment(service, one, at(days=5))
    assert len(choice(client, service, day=day, tz="UTC").times) == 24
    assert len(choice(client, service, day=day, tz="UTC", staff=one.pk).times) == 23
    found = choice(client, service, day=day, tz="UTC", staff=two.pk)
    assert len(found.times) == 24
    assert f"staff={two.pk}" in found.times[0].url


def test_a_class_shows_the_seats_left(client: Client) -> None:
    service = make_service(capacity=3)
    staff = make_staff(service)
    make_appointment(service, staff, at(days=5))
    page = client.get(path(service), {"day": at(days=5).date().isoformat(), "tz": "UTC"}).content.decode()
    assert "2 seats left" in page
    make_appointment(service, staff, at(days=5), email="b@example.com")
    page = client.get(path(service), {"day": at(days=5).date().isoformat(), "tz": "UTC"}).content.decode()
    assert "1 seat left" in page


def test_days_and_times_are_those_of_the_visitor(client: Client) -> None:
    service = make_service(days_ahead=30)
    make_staff(service, hours=[{"weekday": day, "opens": time(1), "closes": time(3)} for day in range(7)])
    day = at(days=6).date()
    eastern = choice(client, service, tz="America/New_York", day=day.isoformat())
    kiritimati = choice(client, service, tz="Pacific/Kiritimati", day=day.isoformat())
    assert [each.text for each in kiritimati.times] == ["3:00\xa0PM", "4:00\xa0PM"]
    offset = 24 + int(at(days=6).astimezone(eastern.zone.zone).utcoffset().total_seconds()) // 3600  # type: ignore[union-attr]
    assert [each.text for each in eastern.times] == [f"{offset + 1 - 12}:00\xa0PM", f"{offset + 2 - 12}:00\xa0PM"]


@pytest.mark.parametrize(("month", "hours"), [(3, 23), (11, 25)])
def test_the_day_of_a_clock_change(client: Client, month: int, hours: int) -> None:
    service = make_service(days_ahead=730)
    make_staff(service)
    text = later(month)
    year = int(text[:4])
    # The second Sunday of March, and the first one of November.
    change = date(year, month, 8 if month == 3 else 1)
    change += timedelta(days=6 - change.weekday())
    found = choice(client, service, month=text, day=change.isoformat(), tz="America/New_York")
    counts = {day.date: day.count for week in found.weeks for day in week if day}
    assert counts.pop(change) == hours
    assert set(counts.values()) == {24}
    texts = [each.text for each in found.times]
    assert len(texts) == len(set(texts)) == hours
    assert ("1:00\xa0AM EDT" in texts and "1:00\xa0AM EST" in texts) == (hours == 25)
    assert ("2:00\xa0AM" in texts) == (hours == 25)


def test_the_time_zone_is_remembered(client: Client) -> None:
    service = make_service()
    make_staff(service)
    set_setting(key="site.timezone", value="Europe/Paris")
    first = client.get(path(service))
    assert first.context["choice"].zone.zone.key == "Europe/Paris"
    assert "timezone.js" in first.content.decode()
    assert "timezone" not in first.cookies
    chosen = client.get(path(service), {"tz": "Asia/Tokyo"})
    cookie = chosen.cookies["timezone"]
    assert (cookie.value, cookie["samesite"], cookie["max-age"]) == ("Asia/Tokyo", "Lax", 365 * 24 * 3600)
    again = client.get(path(service))
    assert again.context["choice"].zone.zone.key == "Asia/Tokyo"
    assert "timezone.js" not in again.content.decode()
    client.cookies["timezone"] = "../../etc/passwd"
    assert client.get(path(service)).context["choice"].zone.zone.key == "Europe/Paris"


HOSTILE = ["", "x", "\0", "9" * 40, "-1", "0", "../../etc", "é"]
HOSTILE += ["2026-99", "0001-01", "9999-12", "2026-02-31", "9999-12-31", "0001-01-01", "0001-01-01T00:00:00+14:00"]


def test_values_that_make_no_sense_are_ignored(client: Client) -> None:
    service = make_service()
    make_staff(service)
    names = ("staff", "month", "day", "tz", "start")
    usual = choice(client, service)
    for value in HOSTILE:
        found = choice(client, service, **dict.fromkeys(names, value))
        assert (found.month, found.day, found.staff, found.zone.zone) == (usual.month, usual.day, None, usual.zone.zone)
        start = str(int(at(days=3).timestamp()))
        for sent in (dict.fromkeys(names, value), {**dict.fromkeys(names, value), "start": start}):
            assert client.get(f"{path(service)}/book", sent).status_code in {200, 302}


def test_a_deposit_that_cannot_be_paid_is_said(client: Client) -> None:
    service = make_service(deposit_cents=2000)
    make_staff(service)
    assert "A deposit of $20.00 is due" in client.get(path(service)).content.decode()
    set_setting(key="payments.allow_test_payments", value=False)
    assert "can't be booked at the moment" in client.get(path(service)).content.decode()


@pytest.mark.both_databases
def test_a_page_takes_a_constant_number_of_statements(client: Client) -> None:
    service = make_service()
    make_staff(service)

    def statements() -> int:
        client.get(path(service))
        with CaptureQueriesContext(connection) as caught:
            client.get(path(service))
        return len(caught)

    few = statements()
    for number in range(6):
        make_appointment(service, make_staff(service), at(days=2), email=f"{number}@example.com")
    assert statements() == few
