"""The log of deliveries and their attempts: how long it is, what it holds, and sending one again."""

import json

import pytest

from cms_api.content.services.bulk import create_items
from cms_api.webhooks.models import Attempt, Delivery, Endpoint
from cms_api.webhooks.services.deliveries import deliver_due, resend
from cms_api.webhooks.services.sending import message
from tests.builders import blog_post, make_item

from .conftest import Subscribe
from .receiver import Answer, Receiver

pytestmark = pytest.mark.django_db


def make_items(count: int) -> None:
    create_items(item_type=blog_post(), rows=[{"data": {"title": f"Item {number}"}} for number in range(count)])


def failures(endpoint: Endpoint) -> int:
    return Endpoint.objects.get(pk=endpoint.pk).failure_count


@pytest.mark.both_databases
def test_it_works(subscribe: Subscribe, receiver: Receiver) -> None:
    """Every attempt with what was answered; the body that was sent can be made again."""
    subscribe()
    receiver.set_answers("/hook", Answer(500, body=b"x" * 5000), Answer(201, body=b"done"))
    make_item()
    deliver_due()
    delivery = Delivery.objects.select_related("event").get()
    first, second = delivery.log.all()
    assert (first.number, first.response_code, first.answer, first.error) == (1, 500, "x" * 1024, "The receiver answered 500.")
    assert (second.number, second.response_code, second.answer, second.error) == (2, 201, "done", "")
    assert first.started_at <= second.started_at
    assert message(delivery) == receiver.requests[0].body


def test_the_latest_fifty_are_kept(subscribe: Subscribe, receiver: Receiver) -> None:
    kept, other = subscribe("/kept"), subscribe("/other", "content_item.deleted")
    make_items(60)
    assert deliver_due() == 60
    numbers = [request.json["delivery_id"] for request in receiver.requests]
    assert list(kept.deliveries.values_list("pk", flat=True)) == sorted(numbers)[:9:-1]
    assert (Attempt.objects.count(), other.deliveries.count()) == (50, 0)


def test_what_waits_is_never_dropped_from_it(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    make_items(60)
    Delivery.objects.filter(pk__in=list(Delivery.objects.order_by("id").values_list("pk", flat=True)[:5])).update(
        next_attempt_at=None
    )
    deliver_due()
    assert endpoint.deliveries.filter(status="pending").count() == 5
    assert endpoint.deliveries.filter(status="delivered").count() == 50


def test_sending_again_is_a_new_attempt_of_the_same_delivery(subscribe: Subscribe, receiver: Receiver) -> None:
    subscribe()
    make_item()
    deliver_due()
    delivery = Delivery.objects.get()
    resend(delivery=delivery)
    assert deliver_due() == 1
    first, second = receiver.requests
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    delivery.refresh_from_db()
    assert (delivery.status, delivery.attempts, delivery.log.count()) == ("delivered", 2, 2)


@pytest.mark.both_databases
def test_sending_again_has_no_retries_and_counts_once(subscribe: Subscribe, receiver: Receiver) -> None:
    """A delivery that has failed already is not a second failure; one that had succeeded is a first."""
    endpoint = subscribe()
    make_item()
    deliver_due()
    receiver.set_answers("/hook", Answer(500))
    delivery = Delivery.objects.get()
    for _ in range(3):
        resend(delivery=delivery)
        assert deliver_due() == 1
        delivery.refresh_from_db()
        assert (delivery.status, failures(endpoint)) == ("failed", 1)


def test_sending_a_failed_one_again_with_success(subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    receiver.set_answers("/hook", *[Answer(500)] * 5, Answer(200))
    make_item()
    assert deliver_due() == 5
    assert failures(endpoint) == 1
    delivery = Delivery.objects.get()
    resend(delivery=delivery)
    assert deliver_due() == 1
    delivery.refresh_from_db()
    assert (delivery.status, delivery.error, failures(endpoint)) == ("delivered", "", 0)


def test_what_still_waits_is_not_sent_again(subscribe: Subscribe, receiver: Receiver) -> None:
    subscribe()
    make_item()
    delivery = Delivery.objects.get()
    resend(delivery=delivery)
    delivery.refresh_from_db()
    assert (delivery.status, delivery.failures) == ("pending", 0)
    assert deliver_due() == 1


def test_the_payload_is_kept_as_it_was_sent(subscribe: Subscribe, receiver: Receiver) -> None:
    subscribe()
    make_item(title="Ünï")
    deliver_due()
    event = Delivery.objects.get().event
    assert bytes(event.payload) in receiver.requests[0].body
    assert json.loads(bytes(event.payload)) == receiver.requests[0].json["data"]
