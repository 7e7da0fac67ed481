"""On PostgreSQL, the database itself refuses overlapping slots of one member of staff."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from commerce.booking.models import BookedSlot, Service, Staff
from tests.client import together
from tests.commerce.shop.outcomes import outcome
from tests.unprotected import meet_before, without_transactions

from .builders import at, make_appointment, make_service, make_staff
from .constraints import without_exclusion

pytestmark = [pytest.mark.usefixtures("booking"), pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def on_postgresql(db: None) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no exclusion constraints.")


def occupy(service: Service, staff: Staff, minutes: int) -> BookedSlot:
    """A slot that takes half an hour, so many minutes after nine, written without any service."""
    start = at() + timedelta(minutes=minutes)
    end = start + timedelta(minutes=30)
    times = {"starts_at": start, "ends_at": end, "occupied_from": start, "occupied_until": end}
    return BookedSlot.objects.create(staff=staff, service=service, **times)


@pytest.mark.django_db
def test_it_refuses_what_overlaps() -> None:
    service = make_service()
    staff, other = make_staff(service), make_staff(service)
    slot = occupy(service, staff, 0)
    for minutes in (-29, -1, 1, 29):
        with pytest.raises(IntegrityError, match="booked_slot_overlap"), transaction.atomic():
            occupy(service, staff, minutes)
    # Slots that touch, and those of somebody else, do not overlap.
    assert [occupy(service, staff, 30), occupy(service, staff, -30), occupy(service, other, 1)]
    slot.occupied_until += timedelta(minutes=1)
    with pytest.raises(IntegrityError, match="booked_slot_overlap"), transaction.atomic():
        slot.save()


@pytest.mark.django_db
def test_it_is_restored_after_a_test_without_it() -> None:
    with without_exclusion():
        assert not exists()
    assert exists()


def exists() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT contype FROM pg_constraint WHERE conname = 'booked_slot_overlap'")
        return bool(cursor.fetchall() == [("x",)])


@pytest.mark.django_db(transaction=True)
def test_it_stands_behind_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """All have looked and found their times free, and nobody has locked anything: still one of them is booked."""
    service = make_service(step_minutes=5)
    make_staff(service)
    without_transactions(monkeypatch)
    meet_before(monkeypatch, BookedSlot, "save", threads=6)

    def book(number: int) -> str:
        return outcome(lambda: make_appointment(service, starts_at=at(minute=5 * number)))

    assert Counter(together(book, 6)) == {"done": 1, "starts_at": 5}
