"""Cancelling, completing and no-shows over the API."""

from typing import Any

import pytest

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.booking.models import Appointment, BookedSlot
from commerce.crm.models import Activity
from commerce.crm.types import ActivityKind
from commerce.payments.models import Payment
from tests.client import Api
from tests.commerce.shop.outcomes import emitted, kinds

from .builders import make_appointment, make_service, pay

pytestmark = pytest.mark.django_db

ACTIONS = {"cancel": "cancelled", "complete": "completed", "no-show": "no_show"}


def act(api: Api, appointment: Appointment, action: str, body: Any = None, **headers: str) -> Any:
    return api.post(f"/booking/appointments/{appointment.pk}/{action}", body, **headers)


@pytest.mark.parametrize(("action", "status"), ACTIONS.items())
@pytest.mark.both_databases
def test_it_works(booking_api: Api, action: str, status: str) -> None:
    switch_feature(name="crm", on=True)
    booked = make_appointment()
    answer = act(booking_api, booked, action)
    assert answer.status_code == 200
    data = answer.json()["data"]
    assert data == booking_api.data(f"/booking/appointments/{booked.pk}")
    assert (data["status"], data["cancelled_at"] is None, data["completed_at"] is None) == (
        status,
        action != "cancel",
        action != "complete",
    )
    events = {"cancel": ["booking.created", "booking.cancelled"], "complete": ["booking.created", "booking.completed"]}
    assert kinds("booking.") == events.get(action, ["booking.created"])
    if action != "no-show":
        assert emitted("booking.")[-1][1] == data
    assert OutgoingMail.objects.filter(template="booking_cancelled").count() == (action == "cancel")
    assert BookedSlot.objects.count() == (action != "cancel")
    assert Activity.objects.filter(kind=ActivityKind.BOOKING).count() == 2


@pytest.mark.both_databases
def test_cancelling_is_idempotent(booking_api: Api) -> None:
    booked = make_appointment()
    answers = [act(booking_api, booked, "cancel") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert (kinds("booking.").count("booking.cancelled"), OutgoingMail.objects.filter(template="booking_cancelled").count()) == (
        1,
        1,
    )


@pytest.mark.parametrize("first", [*ACTIONS, "pending"])
def test_only_confirmed_ones_are_completed_or_missed(booking_api: Api, first: str) -> None:
    """Pending and confirmed ones can be cancelled."""
    booked = make_appointment(make_service(requires_approval=first == "pending"))
    if first != "pending":
        act(booking_api, booked, first)
    before = booking_api.data(f"/booking/appointments/{booked.pk}")
    for second in ("complete", "no-show", "cancel"):
        answer = act(booking_api, booked, second)
        if second == "cancel" and first in {"cancel", "pending"}:
            assert (answer.status_code, answer.json()["data"]["status"]) == (200, "cancelled")
        else:
            assert answer.status_code == 422
            assert list(answer.json()["errors"]) == ["status"]
            assert booking_api.data(f"/booking/appointments/{booked.pk}") == before


@pytest.mark.django_db(transaction=True)
def test_cancelling_refunds_nothing(booking_api: Api) -> None:
    booked = make_appointment(make_service(deposit_cents=2000))
    pay(booked)
    data = act(booking_api, booked, "cancel").json()["data"]
    assert (data["amount_paid_cents"], data["balance_due_cents"]) == (2000, 3000)
    assert Payment.objects.get().refunded_cents == 0


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.both_databases
def test_an_idempotency_key_repeats_the_answer(booking_api: Api, action: str) -> None:
    booked = make_appointment()
    first, second = (act(booking_api, booked, action, idempotency_key="k-1") for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 200)
    assert second.json() == first.json()
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"
    other = act(booking_api, booked, action, {"a": 1}, idempotency_key="k-1")
    assert (other.status_code, list(other.json()["errors"])) == (422, ["idempotency_key"])


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("cancel", b""),
        ("cancel", b'{"reason": "Ill"}'),
        ("complete", b"{}"),
        ("complete", b"{"),
        ("no-show", b"[]"),
        ("no-show", b"\0"),
    ],
)
def test_bodies_are_not_read(booking_api: Api, action: str, body: bytes) -> None:
    booked = make_appointment()
    answer = booking_api.request("POST", f"/booking/appointments/{booked.pk}/{action}", body)
    assert (answer.status_code, answer.json()["data"]["status"]) == (200, ACTIONS[action])


def test_other_methods_are_refused(booking_api: Api) -> None:
    """The laws ask every path for every method (tests/laws/test_guards.py)."""
    assert booking_api.request("DELETE", f"/booking/appointments/{make_appointment().pk}", {}).status_code == 405
    assert booking_api.post("/booking/appointments", {}).status_code == 405
