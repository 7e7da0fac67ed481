"""Retries: their times, their number, and the disabling of a failing endpoint."""

import datetime as dt
import json
from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import Attempt, Delivery, Endpoint, OutboxEvent
from cms_api.webhooks.services import sending
from cms_api.webhooks.services.deliveries import MAX_LOST_ATTEMPTS, attempt, deliver_due, drop_stale, lease_endpoint
from cms_api.webhooks.services.endpoints import delete_endpoint, enable_endpoint
from cms_api.webhooks.types import FAILURE_BUDGET
from tests import people
from tests.builders import make_item

from .conftest import Subscribe
from .receiver import Answer, Receiver

pytestmark = pytest.mark.django_db

RETRY_DELAYS = [60, 300, 1800, 1800]


@pytest.fixture
def patient(receiver: Receiver, settings: Any) -> None:
    """The delays of the product."""
    settings.WEBHOOK_RETRY_DELAYS = RETRY_DELAYS


def wait_of(delivery: Delivery) -> int:
    """Seconds until the next attempt, from when the last one was recorded."""
    delivery.refresh_from_db()
    assert delivery.next_attempt_at is not None
    return round((delivery.next_attempt_at - timezone.now()).total_seconds())


def make_due() -> None:
    Delivery.objects.filter(status="pending").update(next_attempt_at=timezone.now())


def reloaded(endpoint: Endpoint) -> Endpoint:
    return Endpoint.objects.get(pk=endpoint.pk)


def fail_for_good(count: int) -> None:
    """So many deliveries fail, each after all of its retries (which are due at once)."""
    for _ in range(count):
        make_item()
        deliver_due()


def about(seconds: int) -> Any:
    return pytest.approx(seconds, abs=30)


@pytest.mark.both_databases
def test_it_works(subscribe: Subscribe, receiver: Receiver, patient: None) -> None:
    """An attempt and four retries, each after the delay that the setting names; then it has failed, and counts once."""
    endpoint = subscribe()
    receiver.set_answers("/hook", Answer(500, body=b"broken"))
    make_item()
    delivery = Delivery.objects.get()
    for number, delay in enumerate(RETRY_DELAYS, start=1):
        assert deliver_due() == 1
        assert wait_of(delivery) == about(delay)
        assert (delivery.status, delivery.attempts, delivery.failures) == ("pending", number, number)
        assert (deliver_due(), reloaded(endpoint).failure_count) == (0, 0)
        make_due()
    assert deliver_due() == 1
    delivery.refresh_from_db()
    assert (delivery.status, delivery.attempts, delivery.next_attempt_at) == ("failed", 5, None)
    assert (delivery.response_code, delivery.answer, delivery.error) == (500, "broken", "The receiver answered 500.")
    assert (reloaded(endpoint).failure_count, reloaded(endpoint).enabled) == (1, True)
    assert [(row.number, row.response_code) for row in Attempt.objects.all()] == [(number, 500) for number in range(1, 6)]
    make_due()
    assert (deliver_due(), len(receiver.requests)) == (0, 5)


@pytest.mark.parametrize("code", [300, 301, 304, 400, 401, 404, 408, 429, 500, 502, 503, 599])
def test_what_is_no_success_is_tried_again(subscribe: Subscribe, receiver: Receiver, patient: None, code: int) -> None:
    subscribe()
    receiver.set_answers("/hook", Answer(code, body=b""))
    make_item()
    deliver_due()
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.response_code, delivery.failures) == ("pending", code, 1)


@pytest.mark.parametrize("code", [200, 201, 202, 204, 206, 299])
def test_successes(subscribe: Subscribe, receiver: Receiver, code: int) -> None:
    subscribe()
    receiver.set_answers("/hook", Answer(code, body=b""))
    make_item()
    assert deliver_due() == 1
    assert Delivery.objects.get().status == "delivered"


@pytest.mark.parametrize(
    ("code", "header", "delay"),
    [
        (503, "120", 120),
        (429, "120", 120),
        (429, "7200", 3600),
        (503, "999999999", 3600),
        (503, "5", 60),
        (503, "0", 60),
        (500, "120", 60),
        (503, "99999999999999999999", 60),
        (503, "-1", 60),
        (503, "soon", 60),
        (503, "", 60),
        (503, "१२०", 60),
        (503, "Sun, 06 Nov 1994 08:49:37 GMT", 60),
        (503, "Fri, 31 Dec 9999 23:59:59 GMT", 3600),
        (503, "Fri, 31 Dec 99999 23:59:59 GMT", 60),
        (503, "Fri, 31 Dec 2026 23:59:59 +9999999999999999999999", 60),
        (503, "Fri, 31 Dec 2026 23:59:59", 60),
        (503, "Fri, 99 Dec 2026 23:59:59 GMT", 60),
    ],
)
def test_retry_after(subscribe: Subscribe, receiver: Receiver, patient: None, code: int, header: str, delay: int) -> None:
    subscribe()
    receiver.set_answers("/hook", Answer(code, {"Retry-After": header.encode().decode("latin-1")}))
    make_item()
    deliver_due()
    assert wait_of(Delivery.objects.get()) == about(delay)


def test_retry_after_as_a_date(subscribe: Subscribe, receiver: Receiver, patient: None) -> None:
    subscribe()
    moment = timezone.now().astimezone(dt.UTC) + dt.timedelta(minutes=10)
    receiver.set_answers("/hook", Answer(503, {"Retry-After": moment.strftime("%a, %d %b %Y %H:%M:%S GMT")}))
    make_item()
    deliver_due()
    assert wait_of(Delivery.objects.get()) == about(600)


@pytest.mark.both_databases
def test_gone_disables_at_once(subscribe: Subscribe, receiver: Receiver, patient: None) -> None:
    people.alice()
    endpoint = subscribe()
    receiver.set_answers("/hook", Answer(410))
    make_item()
    make_item()
    assert deliver_due() == 1
    found = reloaded(endpoint)
    assert (found.enabled, found.disabled_reason, found.failure_count) == (False, "The receiver answered 410 Gone.", 1)
    assert found.disabled_at is not None
    assert [delivery.status for delivery in Delivery.objects.order_by("id")] == ["failed", "cancelled"]
    (sent,) = OutgoingMail.objects.all()
    assert (sent.template, sent.to, sent.subject) == (
        "webhook_disabled",
        "alice@example.com",
        "A webhook of My site was disabled",
    )
    for said in (sent.text, sent.html):
        assert "https://127.0.0.1" in said
        assert "The receiver answered 410 Gone." in said
        assert "/hook" not in said
    make_item()
    assert Delivery.objects.count() == 2


def test_twenty_in_a_row_disable(subscribe: Subscribe, receiver: Receiver, settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.com"
    people.alice()
    endpoint, other = subscribe(), subscribe("/well")
    receiver.set_answers("/hook", Answer(500))
    fail_for_good(FAILURE_BUDGET - 1)
    assert (reloaded(endpoint).failure_count, reloaded(endpoint).enabled) == (19, True)
    assert not OutgoingMail.objects.exists()
    make_item()
    make_item()
    deliver_due()
    found = reloaded(endpoint)
    assert (found.failure_count, found.enabled, found.disabled_reason) == (20, False, "20 deliveries in a row failed.")
    assert endpoint.deliveries.filter(status="failed").count() == 20
    assert endpoint.deliveries.filter(status="cancelled").count() == 1
    assert sorted(mail.to for mail in OutgoingMail.objects.all()) == ["alice@example.com", "office@example.com"]
    assert (reloaded(other).failure_count, reloaded(other).enabled, len(receiver.at("/well"))) == (0, True, 21)


def test_a_success_between_them_resets(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    receiver.set_answers("/hook", Answer(500))
    fail_for_good(FAILURE_BUDGET - 1)
    receiver.set_answers("/hook", Answer(200))
    fail_for_good(1)
    assert reloaded(endpoint).failure_count == 0
    receiver.set_answers("/hook", Answer(500))
    fail_for_good(1)
    assert (reloaded(endpoint).failure_count, reloaded(endpoint).enabled) == (1, True)


def test_enabling_gives_a_whole_budget_again(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    receiver.set_answers("/hook", Answer(410), Answer(200))
    fail_for_good(1)
    enable_endpoint(endpoint=endpoint)
    found = reloaded(endpoint)
    assert (found.enabled, found.failure_count, found.disabled_at, found.disabled_reason) == (True, 0, None, "")
    make_item()
    deliver_due()
    assert sorted(Delivery.objects.values_list("status", flat=True)) == ["delivered", "failed"]


def test_turning_webhooks_off_stops_dispatch_at_once(
    subscribe: Subscribe, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also that of a worker in the midst of a queue; what waits is sent when they are on again."""
    subscribe()
    for _ in range(3):
        make_item()

    def then_off(*given: Any) -> bool:
        succeeded = attempt(*given)
        switch_feature(name="webhooks", on=False)
        return succeeded

    monkeypatch.setattr("cms_api.webhooks.services.deliveries.attempt", then_off)
    assert (deliver_due(), deliver_due(), lease_endpoint(), len(receiver.requests)) == (1, 0, None, 1)
    monkeypatch.undo()
    drop_stale()
    switch_feature(name="webhooks", on=True)
    assert (deliver_due(), len(receiver.requests)) == (2, 3)


def test_what_waited_a_day_while_they_were_off_is_dropped(subscribe: Subscribe, receiver: Receiver) -> None:
    subscribe()
    make_item()
    make_item()
    old, young = Delivery.objects.order_by("id")
    Delivery.objects.filter(pk=old.pk).update(created_at=timezone.now() - dt.timedelta(hours=25))
    drop_stale()
    assert set(Delivery.objects.values_list("status", flat=True)) == {"pending"}
    switch_feature(name="webhooks", on=False)
    drop_stale()
    switch_feature(name="webhooks", on=True)
    assert deliver_due() == 1
    assert [request.json["delivery_id"] for request in receiver.requests] == [young.pk]
    old.refresh_from_db()
    assert (old.status, old.error) == ("cancelled", "Webhooks were off.")


def test_events_that_nobody_waits_for_are_forgotten(subscribe: Subscribe) -> None:
    subscribe()
    make_item()
    old = timezone.now() - dt.timedelta(hours=25)
    OutboxEvent.objects.create(kind="content_item.created", occurred_at=old, payload=json.dumps({}).encode())
    OutboxEvent.objects.update(occurred_at=old)
    drop_stale()
    assert OutboxEvent.objects.count() == 1


def test_an_attempt_that_was_begun_and_never_ended_is_made_again(subscribe: Subscribe, receiver: Receiver) -> None:
    """It counts as an attempt, not as a failure of the receiver; but not without end."""
    subscribe()
    make_item()
    Delivery.objects.update(attempts=1)
    deliver_due()
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.attempts, delivery.failures) == ("delivered", 2, 0)


def test_a_delivery_that_kills_every_worker_is_given_up(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    make_item()
    Delivery.objects.update(attempts=MAX_LOST_ATTEMPTS, lost=MAX_LOST_ATTEMPTS)
    for _ in range(5):
        make_due()
        deliver_due()
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.error) == ("failed", "Too many attempts were interrupted.")
    assert (receiver.contacts, reloaded(endpoint).failure_count) == (0, 1)


@pytest.mark.both_databases
def test_a_subscription_that_is_deleted_during_an_attempt(
    subscribe: Subscribe, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker goes on to the others."""
    endpoint = subscribe()
    make_item()

    def then_delete(*given: Any) -> sending.Outcome:
        outcome = sending.post(*given)
        delete_endpoint(endpoint=Endpoint.objects.get(pk=endpoint.pk))
        return outcome

    monkeypatch.setattr("cms_api.webhooks.services.deliveries.post", then_delete)
    assert (deliver_due(), len(receiver.requests)) == (1, 1)
    assert not Attempt.objects.exists()
