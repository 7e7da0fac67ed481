"""Approval, cancelling, completing, and customers who do not come."""

from collections.abc import Callable
from typing import Any

import pytest

from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.booking.models import Appointment, BookedSlot, BookingCode
from commerce.booking.services import (
    cancel_appointment,
    complete_appointment,
    confirm_appointment,
    mark_no_show,
    save_service,
)
from commerce.booking.services.housekeeping import lapse_appointments

from .builders import make_appointment, make_code, make_service, pay, refusals, utc

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

NINE = utc("2026-03-04 09:00")


def book(**changes: Any) -> Appointment:
    return make_appointment(make_service(**changes), starts_at=NINE)


def kinds() -> list[str]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))


def mails() -> list[str]:
    return list(OutgoingMail.objects.filter(recipient="dana@example.com").order_by("pk").values_list("template", flat=True))


ENDINGS: dict[str, Callable[..., Any]] = {
    "cancelled": cancel_appointment,
    "completed": complete_appointment,
    "no_show": mark_no_show,
}


def ended(status: str) -> Appointment:
    appointment = book()
    ENDINGS[status](appointment=appointment)
    appointment.refresh_from_db()
    assert appointment.status == status
    return appointment


@pytest.mark.both_databases
def test_it_works() -> None:
    """Each ending has its event, its email, and its moment; only a cancelled one gives back its time."""
    cancelled, completed, missed = ended("cancelled"), ended("completed"), ended("no_show")
    assert kinds() == ["booking.created", "booking.cancelled", "booking.created", "booking.completed", "booking.created"]
    assert mails() == ["booking_confirmed", "booking_cancelled", "booking_confirmed", "booking_confirmed"]
    assert [each.cancelled_at is not None for each in (cancelled, completed, missed)] == [True, False, False]
    assert [each.completed_at is not None for each in (cancelled, completed, missed)] == [False, True, False]
    assert [each.slot is None for each in (cancelled, completed, missed)] == [True, False, False]


@pytest.mark.both_databases
def test_cancelling_again_changes_nothing() -> None:
    appointment = ended("cancelled")
    before = (appointment.sequence, appointment.updated_at, appointment.cancelled_at)
    assert cancel_appointment(appointment=appointment) is False
    appointment.refresh_from_db()
    assert (appointment.sequence, appointment.updated_at, appointment.cancelled_at) == before
    assert (kinds().count("booking.cancelled"), mails().count("booking_cancelled")) == (1, 1)


@pytest.mark.parametrize("status", ["completed", "no_show"])
def test_what_is_over_cannot_be_cancelled(status: str) -> None:
    appointment = ended(status)
    for by_customer in (True, False):
        problem = refusals(lambda by_customer=by_customer: cancel_appointment(appointment=appointment, by_customer=by_customer))
        assert problem["status"].startswith("This appointment is ")
    assert BookedSlot.objects.exists()


@pytest.mark.parametrize("status", ["cancelled", "completed", "no_show", "pending"])
@pytest.mark.parametrize("end", [complete_appointment, mark_no_show])
def test_only_a_confirmed_appointment_is_completed_or_missed(status: str, end: Callable[..., Any]) -> None:
    appointment = book(requires_approval=True) if status == "pending" else ended(status)
    before = kinds()
    assert list(refusals(lambda: end(appointment=appointment))) == ["status"]
    appointment.refresh_from_db()
    assert (appointment.status, kinds()) == (status, before)


def test_customers_cancel_until_the_notice_of_the_service(clock: Callable[[str], None]) -> None:
    appointment = book(cancel_notice_hours=24)
    clock("2026-03-03 09:01")
    assert list(refusals(lambda: cancel_appointment(appointment=appointment, by_customer=True))) == ["status"]
    clock("2026-03-03 09:00")
    assert cancel_appointment(appointment=appointment, by_customer=True)


@pytest.mark.both_databases
def test_the_notice_of_today_counts_and_staff_need_none(clock: Callable[[str], None]) -> None:
    appointment = book(cancel_notice_hours=0)
    save_service(service=appointment.service, values={"cancel_notice_hours": 48})
    appointment.refresh_from_db()
    clock("2026-03-03 09:00")
    assert list(refusals(lambda: cancel_appointment(appointment=appointment, by_customer=True))) == ["status"]
    clock("2026-03-05 09:00")
    assert cancel_appointment(appointment=appointment)


@pytest.mark.both_databases
def test_cancelling_gives_back_the_use_of_a_code() -> None:
    make_code("ONCE", max_uses=1, max_uses_per_customer=1)
    service = make_service()
    appointment = make_appointment(service, starts_at=NINE, discount_code="ONCE")
    assert BookingCode.objects.get().used == 1
    for _ in range(2):
        cancel_appointment(appointment=appointment)
        assert BookingCode.objects.get().used == 0
    assert make_appointment(service, starts_at=NINE, discount_code="ONCE").has_redeemed


# Approval.


def test_a_request_waits_for_approval() -> None:
    appointment = book(requires_approval=True)
    assert (appointment.status, appointment.requires_approval, appointment.reserved_until) == ("pending", True, None)
    assert (kinds(), mails()) == ([], ["booking_requested"])
    # It never lapses, and takes its time.
    lapse_appointments()
    assert list(refusals(lambda: make_appointment(appointment.service, starts_at=NINE))) == ["starts_at"]
    assert confirm_appointment(appointment=appointment) is True
    appointment.refresh_from_db()
    assert (appointment.status, appointment.requires_approval) == ("confirmed", False)
    assert (kinds(), mails()) == (["booking.created"], ["booking_requested", "booking_confirmed"])
    assert confirm_appointment(appointment=appointment) is False
    assert len(mails()) == 2


@pytest.mark.django_db(transaction=True)
def test_approval_after_the_deposit() -> None:
    appointment = book(requires_approval=True, deposit_cents=1000)
    assert (appointment.status, appointment.reserved_until is None, mails()) == ("pending", False, [])
    pay(appointment)
    assert (appointment.status, appointment.requires_approval, appointment.reserved_until) == ("pending", True, None)
    assert (appointment.amount_paid_cents, kinds(), mails()) == (1000, [], ["booking_requested"])
    confirm_appointment(appointment=appointment)
    assert kinds() == ["booking.created"]


@pytest.mark.parametrize("status", ["cancelled", "completed", "no_show"])
def test_only_a_pending_appointment_is_confirmed(status: str) -> None:
    appointment = ended(status)
    assert list(refusals(lambda: confirm_appointment(appointment=appointment))) == ["status"]


def test_a_request_is_declined_by_cancelling_it() -> None:
    appointment = book(requires_approval=True)
    cancel_appointment(appointment=appointment)
    assert (kinds(), mails()) == (["booking.cancelled"], ["booking_requested", "booking_cancelled"])
