"""Reminders before terms end, and the ends of terms and of featured placements."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.core import versions
from commerce.directory.models import Listing
from commerce.directory.services.claims import approve_claim, claim_by_message
from commerce.directory.services.statuses import archive_listing, publish_listing
from commerce.directory.services.terms import end_featured, remind_owners
from commerce.directory.types.listings import VERSION
from commerce.directory.types.terms import days_left, extend
from tests.client import Api

from .builders import buy, mails, make_listing, make_plan, reloaded, sent, submit
from .conftest import Clock

pytestmark = pytest.mark.django_db

PARIS, NEW_YORK = ZoneInfo("Europe/Paris"), ZoneInfo("America/New_York")


def ending(text: str, owner: Any, **values: Any) -> Listing:
    """A published listing whose term ends at a time in UTC."""
    return make_listing(owner=owner, expires_at=datetime.fromisoformat(text).replace(tzinfo=UTC), **values)


def templates() -> list[str]:
    return [template.removeprefix("listing_") for template, _ in sent()]


def at(text: str, zone: ZoneInfo) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


# Periods.


@pytest.mark.parametrize(
    ("now", "until", "months", "expected"),
    [
        ("2026-03-10 12:00", None, 12, "2027-03-10 12:00"),
        # From the end, or from now if that has passed.
        ("2026-03-10 12:00", "2026-06-01 08:00", 12, "2027-06-01 08:00"),
        ("2026-03-10 12:00", "2026-03-10 11:59", 12, "2027-03-10 12:00"),
        ("2026-01-31 12:00", None, 1, "2026-02-28 12:00"),
        ("2026-01-31 12:00", None, 2, "2026-03-31 12:00"),
        ("2028-01-31 12:00", None, 1, "2028-02-29 12:00"),
        ("2028-02-29 12:00", None, 12, "2029-02-28 12:00"),
        ("2028-02-29 12:00", None, 48, "2032-02-29 12:00"),
        ("2026-12-31 23:30", None, 2, "2027-02-28 23:30"),
        # Noon is noon on both sides of a clock change.
        ("2026-03-01 12:00", None, 1, "2026-04-01 12:00"),
        ("2026-10-01 12:00", None, 1, "2026-11-01 12:00"),
        # A time that is skipped, and one that is there twice.
        ("2026-02-28 02:30", "2026-02-28 02:30", 1, "2026-03-28 02:30"),
        ("2026-09-25 02:30", None, 1, "2026-10-25 02:30"),
    ],
)
def test_periods_are_months_of_the_calendar(now: str, until: str | None, months: int, expected: str) -> None:
    found = extend(at(until, PARIS) if until else None, months, now=at(now, PARIS), zone=PARIS)
    assert (found, found.tzinfo) == (at(expected, PARIS).astimezone(UTC), UTC)


def test_a_skipped_time_is_moved() -> None:
    found = extend(None, 1, now=at("2026-02-08 02:30", NEW_YORK), zone=NEW_YORK)
    assert found == at("2026-03-08 03:30", NEW_YORK)


@pytest.mark.both_databases
def test_months_are_those_of_the_sites_zone() -> None:
    """It is the last of January in New York, and the first of February in Paris."""
    now = datetime(2026, 2, 1, 2, tzinfo=UTC)
    assert extend(None, 1, now=now, zone=NEW_YORK) == at("2026-02-28 21:00", NEW_YORK)
    assert extend(None, 1, now=now, zone=PARIS) == at("2026-03-01 03:00", PARIS)


@pytest.mark.parametrize(("until", "days"), [("2026-03-15 23:59", 5), ("2026-03-10 00:00", 0), ("2026-03-09 23:59", -1)])
def test_days_left_are_those_of_the_calendar(until: str, days: int) -> None:
    assert days_left(at(until, PARIS), at("2026-03-10 12:00", PARIS).date(), PARIS) == days


# Reminders.


@pytest.mark.both_databases
def test_it_works(owner: Any, clock: Clock) -> None:
    """Every hour for three weeks."""
    zero = datetime(2026, 2, 25, tzinfo=UTC)
    clock(f"{zero:%Y-%m-%d %H:%M}")
    ending("2026-03-17 15:00", owner)
    days = []
    for hour in range(0, 24 * 22, 3):
        clock(f"{zero + timedelta(hours=hour):%Y-%m-%d %H:%M}")
        days += [f"{timezone.now():%d %H}"] * remind_owners()
    assert templates() == ["ending", "ending", "ending", "ended"]
    # By the site's calendar, an hour after midnight in UTC.
    assert days == ["03 00", "14 00", "17 00", "17 15"]
    assert {recipient for _, recipient in sent()} == {"noor@example.com"}
    assert mails()[0].subject == "Reyes Ceramics is listed until March 17, 2026"
    assert "/accounts/listings/" in mails()[0].text


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2026-03-02 12:00", []),
        ("2026-03-03 12:00", ["ending"]),
        ("2026-03-13 12:00", ["ending"]),
        ("2026-03-17 12:00", ["ending"]),
        ("2026-03-17 14:59:59", ["ending"]),
        ("2026-03-17 15:00", ["ended"]),
        ("2026-09-01 12:00", ["ended"]),
    ],
)
def test_a_late_job_sends_the_latest_one_only(owner: Any, clock: Clock, now: str, expected: list[str]) -> None:
    clock("2026-01-01 12:00")
    ending("2026-03-17 15:00", owner)
    clock(now)
    assert (remind_owners(), remind_owners(), templates()) == (len(expected), 0, expected)


def test_after_a_late_one_come_the_next_ones(owner: Any, clock: Clock) -> None:
    clock("2026-01-01 12:00")
    ending("2026-03-17 15:00", owner)
    for now, mailed in (("2026-03-15 12:00", 1), ("2026-03-16 12:00", 0), ("2026-03-17 12:00", 1), ("2026-03-19 12:00", 1)):
        clock(now)
        assert (remind_owners(), remind_owners()) == (mailed, 0)


def test_a_renewed_term_is_another_one(owner: Any, clock: Clock) -> None:
    clock("2026-03-04 12:00")
    listing, plan = ending("2026-03-17 15:00", owner), make_plan(months=1)
    assert remind_owners() == 1
    buy(listing, plan)
    assert (reloaded(listing).expires_at, reloaded(listing).reminded_days) == (datetime(2026, 4, 17, 14, tzinfo=UTC), None)
    clock("2026-03-18 12:00")
    assert remind_owners() == 0
    clock("2026-04-03 12:00")
    assert remind_owners() == 1
    clock("2026-04-18 12:00")
    assert remind_owners() == 1
    # Also after the end.
    buy(reloaded(listing), plan)
    assert remind_owners() == 0
    clock("2026-06-01 12:00")
    assert remind_owners() == 1
    assert [each for each in templates() if each != "paid"] == ["ending", "ending", "ended", "ended"]


@pytest.mark.both_databases
def test_the_end_is_logged_and_invalidates_pages(owner: Any, clock: Clock) -> None:
    clock("2026-03-17 14:00")
    ending("2026-03-17 15:00", owner)
    clock("2026-03-17 15:00")
    versions.forget()
    before = versions.version(VERSION)
    remind_owners()
    versions.forget()
    assert versions.version(VERSION) != before
    assert ModelLogEntry.objects.filter(action="directory.expire").count() == 1
    assert reloaded(Listing.objects.get()).status == "published"


def test_nobody_is_reminded_of_these(owner: Any, clock: Clock) -> None:
    clock("2026-03-16 12:00")
    ending("2026-03-17 15:00", None)
    ending("2026-03-17 15:00", owner, status="pending")
    archive_listing(listing=ending("2026-03-17 15:00", owner))
    ending("2026-06-17 15:00", owner)
    make_listing(owner=owner)
    assert (remind_owners(), templates()) == (0, [])


@pytest.mark.both_databases
def test_an_owner_without_a_confirmed_address_is_not_written_to(owner: Any, clock: Clock) -> None:
    clock("2026-03-16 12:00")
    ending("2026-03-17 15:00", owner)
    EmailAddress.objects.update(verified=False)
    assert (remind_owners(), sent()) == (0, [])


def test_who_claims_a_listing_is_reminded(owner: Any, clock: Clock) -> None:
    clock("2026-03-16 12:00")
    listing = ending("2026-03-17 15:00", None)
    remind_owners()
    approve_claim(claim=claim_by_message(listing=listing, user=owner, message="I am the baker."))
    assert remind_owners() == 1


# Featured placements.


def test_a_placement_ends(owner: Any, clock: Clock, directory_api: Api) -> None:
    clock("2026-03-01 12:00")
    listing = make_listing(featured=True, featured_until=datetime(2026, 3, 10, 12, tzinfo=UTC))
    make_listing("By staff", featured=True)
    clock("2026-03-10 11:59:59")
    assert end_featured() == 0
    clock("2026-03-10 12:00")
    versions.forget()
    before = versions.version(VERSION)
    assert (end_featured(), end_featured()) == (1, 0)
    versions.forget()
    assert versions.version(VERSION) != before
    stored = reloaded(listing)
    assert (stored.featured, stored.featured_until, stored.sort_key) == (False, None, "1reyes ceramics")
    # Integrations that read what has changed see it.
    assert stored.updated_at == timezone.now()
    assert [row["name"] for row in directory_api.data("/directory/listings", featured="true")] == ["By staff"]
    assert ModelLogEntry.objects.filter(action="directory.stop_featuring").count() == 1


def test_a_listing_that_is_published_before_it_is_paid_is_approved_but_not_ended(owner: Any, clock: Clock) -> None:
    clock("2026-03-10 12:00")
    make_plan()
    listing = submit(owner)
    clock("2026-03-11 09:00")
    publish_listing(listing=listing)
    clock("2026-03-13 09:00")
    remind_owners()
    assert "published" not in templates()
    assert templates()[-1] == "approved"
    assert not reloaded(listing).is_live(timezone.now())
