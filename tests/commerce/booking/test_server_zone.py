"""The time zone of the server changes nothing: not the times on offer, nor what customers and integrations get."""

import time
from collections.abc import Iterator

import pytest

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.booking.resources.appointments import appointment as serialized
from commerce.booking.resources.calendars import invite
from commerce.booking.selectors.appointments import appointments
from commerce.booking.selectors.availability import openings
from commerce.booking.services import save_override, save_time_off

from .builders import make_appointment, make_service, make_staff, utc, weekly

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture(params=["UTC", "Pacific/Auckland", "America/Los_Angeles", "Asia/Kathmandu"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A zone of the server."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.both_databases
def test_it_changes_nothing(server: str) -> None:
    if server != "UTC":
        assert time.strftime("%H", time.localtime(0)) != "00"
    set_setting(key="site.timezone", value="Europe/Berlin")
    service = make_service()
    staff = make_staff(service, timezone="America/New_York", hours=weekly("22:00", "02:00"))
    save_override(values={"staff": staff, "date": utc("2026-03-08").date(), "periods": [("09:00", "11:00")]})
    save_time_off(values={"staff": None, "starts_at": utc("2026-03-10 04:00"), "ends_at": utc("2026-03-10 05:00")})
    found = openings(service, [staff], utc("2026-03-07 12:00"), utc("2026-03-10 12:00"))
    assert [f"{each.starts_at:%d %H}" for each in found] == [
        *("08 03", "08 04", "08 05", "08 06"),
        *("08 13", "08 14"),
        *("10 02", "10 03", "10 05"),
    ]
    booked = make_appointment(service, starts_at=utc("2026-03-08 06:00"), timezone="Asia/Kathmandu")
    data = serialized(booked)
    assert (data["starts_at"], data["ends_at"]) == ("2026-03-08T06:00:00+00:00", "2026-03-08T07:00:00+00:00")
    assert b"DTSTART:20260308T060000Z" in invite(booked)
    mail = OutgoingMail.objects.get(template="booking_confirmed")
    assert mail.subject.endswith("Sunday, March 8, 2026, 11:45 AM (Asia/Kathmandu)")
    assert list(appointments(first=utc("2026-03-08 06:00"), last=utc("2026-03-08 06:00"))) == [booked]
