"""The list of appointments over the API: its filters and orders, one appointment, and hostile values."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting, switch_feature
from commerce.booking.models import Appointment
from commerce.booking.resources.appointments import AppointmentResource
from commerce.booking.resources.appointments import appointment as serialized
from commerce.booking.selectors.appointments import MANAGE_LINK
from commerce.booking.services import cancel_appointment, complete_appointment, mark_no_show, reschedule_appointment
from tests.builders import make_token
from tests.client import Api

from .builders import at, make_appointment, make_code, make_service, make_staff, utc

pytestmark = pytest.mark.django_db

LIST = "/booking/appointments"
QUESTIONS = [
    {"key": "before", "label": "Have you thrown before?", "type": "text", "required": True},
    {"key": "knee", "label": "Which knee?", "type": "text"},
]


def wire(moment: datetime) -> str:
    return moment.astimezone(UTC).replace(microsecond=0).isoformat()


def found(api: Api, **query: Any) -> list[int]:
    return sorted(row["id"] for row in api.data(LIST, per_page=100, **query))


@pytest.mark.both_databases
def test_it_works(booking_api: Api) -> None:
    make_code("TEN")
    service = make_service("Wheel throwing", price_cents=9000, duration_minutes=90, questions=QUESTIONS, requires_approval=True)
    staff = make_staff(service, name="Robin Vale")
    booked = make_appointment(service, phone="555 0100", discount_code="TEN", answers={"before": "Twice."}, notes="Back door.")
    data = booking_api.data(f"{LIST}/{booked.pk}")
    assert data == {
        "id": booked.pk,
        "status": "pending",
        "customer": {"name": "Dana Reyes", "email": "dana@example.com", "phone": "555 0100"},
        "service": {"id": service.pk, "name": "Wheel throwing", "duration_minutes": 90},
        "staff": {"id": staff.pk, "name": "Robin Vale"},
        "starts_at": wire(at()),
        "ends_at": wire(at() + timedelta(minutes=90)),
        "timezone": "America/New_York",
        "price_cents": 9000,
        "deposit_cents": 0,
        "discount_cents": 900,
        "amount_paid_cents": 0,
        "balance_due_cents": 8100,
        "currency": "usd",
        "intake": [
            {"question": "Have you thrown before?", "answer": "Twice."},
            {"question": "Which knee?", "answer": None},
        ],
        "manage_url": MANAGE_LINK.url(booked),
        "notes": "Back door.",
        "cancelled_at": None,
        "completed_at": None,
        "created_at": wire(booked.created_at),
        "updated_at": wire(booked.updated_at),
    }
    assert booking_api.data(LIST) == [data]
    assert list(data) == list(serialized(booked))
    assert set(data) == set(AppointmentResource.example)


def test_what_was_not_entered_is_null(booking_api: Api) -> None:
    data = booking_api.data(f"{LIST}/{make_appointment().pk}")
    assert (data["customer"]["phone"], data["notes"], data["intake"]) == (None, None, [])


@pytest.mark.both_databases
def test_statuses(booking_api: Api, clock: Callable[[str], None]) -> None:
    asking = make_service(requires_approval=True)
    rows = {"pending": make_appointment(asking), "confirmed": make_appointment()}
    rows |= {status: make_appointment() for status in ("cancelled", "completed", "no_show")}
    cancel_appointment(appointment=rows["cancelled"])
    complete_appointment(appointment=rows["completed"])
    mark_no_show(appointment=rows["no_show"])
    past = make_appointment(starts_at=utc("2026-03-01 09:00"), by_staff=True)
    # It begins at this moment.
    begins = make_appointment(starts_at=utc("2026-03-02 08:00"), by_staff=True)
    for status, row in rows.items():
        expected = [row.pk, past.pk, begins.pk] if status == "confirmed" else [row.pk]
        assert found(booking_api, status=status) == expected, status
    assert found(booking_api, status="upcoming") == sorted([rows["pending"].pk, rows["confirmed"].pk])
    assert len(found(booking_api)) == 7


@pytest.mark.both_databases
def test_filters(booking_api: Api) -> None:
    one, other = make_service(), make_service()
    robin, kim = make_staff(one, other), make_staff(other)
    first = make_appointment(one, robin, at(hour=9), email="dana@example.com")
    second = make_appointment(other, robin, at(hour=11), email="other@example.com")
    third = make_appointment(other, kim, at(hour=9), email="dana@example.com")
    assert found(booking_api, service_id=one.pk) == [first.pk]
    assert found(booking_api, service_id=other.pk) == [second.pk, third.pk]
    assert found(booking_api, staff_id=robin.pk) == [first.pk, second.pk]
    assert found(booking_api, staff_id=kim.pk, service_id=one.pk) == []
    assert found(booking_api, staff_id=10**17) == found(booking_api, service_id=10**17) == []
    for spelled in ("dana@example.com", "DANA@Example.COM"):
        assert found(booking_api, email=spelled) == [first.pk, third.pk]
    assert found(booking_api, email="dana@example.co") == []
    assert found(booking_api, email="dana@example.com", status="upcoming", service_id=other.pk, staff_id=kim.pk) == [third.pk]
    reschedule_appointment(appointment=second, starts_at=at(hour=15), staff=kim)
    assert found(booking_api, staff_id=kim.pk) == [second.pk, third.pk]


@pytest.mark.both_databases
def test_from_and_to_include_both_ends(booking_api: Api) -> None:
    booked = [make_appointment(starts_at=utc(f"2026-03-10 {clock}"), by_staff=True).pk for clock in ("09:00", "10:00", "11:00")]
    assert found(booking_api, **{"from": "2026-03-10T10:00:00Z"}) == booked[1:]
    assert found(booking_api, **{"from": "2026-03-10T10:00:01Z"}) == booked[2:]
    assert found(booking_api, to="2026-03-10T10:00:00Z") == booked[:2]
    assert found(booking_api, to="2026-03-10T09:59:59Z") == booked[:1]
    assert found(booking_api, **{"from": "2026-03-10T11:00:00+01:00", "to": "2026-03-10T05:00:00-05:00"}) == booked[1:2]
    assert found(booking_api, **{"from": "2026-03-11", "to": "2026-03-09"}) == []


@pytest.mark.parametrize(
    ("zone", "first", "last"),
    [
        ("UTC", "2026-03-08 00:00", "2026-03-08 23:59"),
        ("Pacific/Auckland", "2026-03-07 11:00", "2026-03-08 10:59"),
        # A day of 23 hours, and one of 25.
        ("America/New_York", "2026-03-08 05:00", "2026-03-09 03:59"),
    ],
)
def test_days_are_those_of_the_site(booking_api: Api, zone: str, first: str, last: str) -> None:
    set_setting(key="site.timezone", value=zone)
    inside = [make_appointment(starts_at=utc(clock), by_staff=True).pk for clock in (first, last)]
    minute = timedelta(minutes=1)
    for start in (utc(first) - minute, utc(last) + minute):
        make_appointment(starts_at=start, by_staff=True)
    assert found(booking_api, **{"from": "2026-03-08", "to": "2026-03-08"}) == inside


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("status=lost", "status"),
        ("status=", "status"),
        ("status=Pending", "status"),
        ("status=no-show", "status"),
        ("service_id=x", "service_id"),
        ("service_id=0", "service_id"),
        ("service_id=-1", "service_id"),
        ("service_id=1.0", "service_id"),
        ("service_id=%D9%A1", "service_id"),
        ("service_id=99999999999999999999", "service_id"),
        ("staff_id=1%00", "staff_id"),
        ("staff_id=", "staff_id"),
        ("email=a%00b", "email"),
        ("email=" + 300 * "a", "email"),
        ("from=yesterday", "from"),
        ("from=2026-02-30", "from"),
        ("from=", "from"),
        ("from=0001-01-01", "from"),
        ("to=9999-12-31T23:59:59-14:00", "to"),
        ("to=2026-03-01T25:00:00Z", "to"),
        ("to=1e9", "to"),
        ("sort=email", "sort"),
        ("sort=price_cents", "sort"),
        ("sort=", "sort"),
        ("per_page=0", "per_page"),
        ("page=1.5", "page"),
        ("cursor=x", "cursor"),
        ("fields=secret", "fields"),
        ("fields=user_id", "fields"),
    ],
)
def test_bad_filters_are_refused(booking_api: Api, query: str, key: str) -> None:
    answer = booking_api.get(f"{LIST}?{query}")
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == [key]


@pytest.mark.both_databases
def test_sort_and_cursors(booking_api: Api) -> None:
    service = make_service()
    booked = [make_appointment(service, starts_at=at(hour=hour)) for hour in (12, 9, 15, 10, 14, 11, 13)]
    now = timezone.now()
    for place, each in enumerate(booked):
        # Pairs were created at the same moment, and changed in the opposite order.
        moments = {"created_at": now + timedelta(seconds=place // 2), "updated_at": now - timedelta(seconds=place)}
        Appointment.objects.filter(pk=each.pk).update(**moments)
    keys = [each.pk for each in booked]
    by_start = [keys[place] for place in (1, 3, 5, 0, 6, 4, 2)]
    for sort, expected in {
        None: keys[::-1],
        "created_at": keys,
        "-created_at": keys[::-1],
        "updated_at": keys[::-1],
        "-updated_at": keys,
        "starts_at": by_start,
        "-starts_at": by_start[::-1],
    }.items():
        query = {"sort": sort} if sort else {}
        pages = [[row["id"] for row in booking_api.data(LIST, page=page, per_page=3, **query)] for page in (1, 2, 3)]
        assert [key for page in pages for key in page] == expected, sort
        assert booking_api.walk(LIST, per_page=2, **query) == expected, sort


def test_fields(booking_api: Api) -> None:
    booked = make_appointment()
    assert booking_api.data(LIST, fields="status,timezone") == [
        {"id": booked.pk, "status": "confirmed", "timezone": "America/New_York"}
    ]
    assert set(booking_api.data(f"{LIST}/{booked.pk}", fields="intake")) == {"id", "intake"}


@pytest.mark.parametrize("path", ["", "/{id}"])
def test_a_change_changes_the_tag(booking_api: Api, path: str) -> None:
    booked = make_appointment()
    url = LIST + path.format(id=booked.pk)
    tag = booking_api.get(url).headers["ETag"]
    assert booking_api.request("GET", url, if_none_match=tag).status_code == 304
    reschedule_appointment(appointment=booked, starts_at=at(hour=15))
    assert booking_api.request("GET", url, if_none_match=tag).status_code == 200


@pytest.mark.both_databases
def test_the_passing_of_time_changes_the_tag_of_upcoming(booking_api: Api) -> None:
    booked = make_appointment()
    tag = booking_api.get(LIST, status="upcoming").headers["ETag"]
    Appointment.objects.filter(pk=booked.pk).update(starts_at=timezone.now() - timedelta(minutes=1))
    answer = booking_api.request("GET", LIST, query={"status": "upcoming"}, if_none_match=tag)
    assert (answer.status_code, answer.json()["data"]) == (200, [])


def test_abilities_and_the_feature(booking_api: Api) -> None:
    booked = make_appointment()
    writer, reader = Api(make_token("booking:write")), Api(make_token("booking:read"))
    for path in (LIST, f"{LIST}/{booked.pk}"):
        assert writer.get(path).json()["required_ability"] == "booking:read"
    for action in ("cancel", "complete", "no-show"):
        assert reader.post(f"{LIST}/{booked.pk}/{action}").json()["required_ability"] == "booking:write"
    booked.refresh_from_db()
    assert booked.status == "confirmed"
    switch_feature(name="booking", on=False)
    for path in (LIST, f"{LIST}/{booked.pk}"):
        assert booking_api.get(path).status_code == 404
    assert booking_api.post(f"{LIST}/{booked.pk}/cancel").status_code == 404
