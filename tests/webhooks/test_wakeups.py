"""A worker that polls once an hour: deliveries leave because it is woken, over connections that it keeps."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction

from cms_api.core import registry
from cms_api.core.queues import Round, Runner
from cms_api.core.writing import Sql
from cms_api.flags.selectors import is_on
from cms_api.flags.services import switch_feature
from cms_api.mail.selectors import QUEUE as MAIL_QUEUE
from cms_api.outbound import keeping
from cms_api.webhooks.models import Attempt, Delivery, Endpoint
from cms_api.webhooks.selectors import FEATURE, QUEUE
from cms_api.webhooks.services import deliveries
from cms_api.webhooks.services.deliveries import SENDING, EndpointLease, resend
from cms_api.webhooks.services.endpoints import create_endpoint, rotate_secret, update_endpoint
from cms_api.webhooks.types import hex_signature
from tests.builders import make_item
from tests.listening import listening
from tests.waiting import until

from .receiver import Answer, Authority, Receiver, receiving

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def receiver(trusting: None, webhooks_on: None, authority: Authority) -> Iterator[Receiver]:
    """A receiver that leaves connections open, with a subscription."""
    with receiving(authority.good, keeps_open=True) as started:
        create_endpoint(url=started.url(), events=["*"])
        yield started


@pytest.fixture
def worker(receiver: Receiver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> Iterator[Runner]:
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(SENDING, "pause", 3600.0)
    runner = Runner(QUEUE, SENDING, is_on=partial(is_on, FEATURE))
    runner.start()
    try:
        with listening({QUEUE: runner.wake}):
            yield runner
    finally:
        runner.stop()


def is_settled() -> bool:
    """Whether nothing is due, and no worker has a lease."""
    return not Delivery.objects.filter(status="pending").exists() and not Endpoint.objects.exclude(leased_by="").exists()


def write() -> None:
    """Write an item, and wait until it is delivered and its endpoint is free again."""
    make_item()
    until(is_settled)


def test_it_works(worker: Runner, receiver: Receiver) -> None:
    for count in (1, 2, 3):
        write()
        assert len(receiver.requests) == count
    assert set(Delivery.objects.values_list("status", "attempts")) == {("delivered", 1)}


def test_one_transaction_wakes_once(receiver: Receiver) -> None:
    with transaction.atomic():
        for _ in range(3):
            make_item()
        wakeups = [function for _, function, *_ in transaction.get_connection().run_on_commit if "Wake(" in repr(function)]
    assert len(wakeups) == 1


@pytest.mark.parametrize("off", ["webhooks", "endpoint"])
def test_nothing_wakes_where_nobody_subscribes(receiver: Receiver, off: str) -> None:
    if off == "webhooks":
        switch_feature(name=FEATURE, on=False)
    else:
        Endpoint.objects.all().delete()
        create_endpoint(url=receiver.url(), events=["*"], enabled=False)
    with transaction.atomic():
        make_item()
        assert "Wake(" not in repr(transaction.get_connection().run_on_commit)


def test_every_queue_that_is_woken_is_declared() -> None:
    assert {QUEUE, MAIL_QUEUE} <= {queue.name for module in registry.modules() for queue in module.queues}


def test_a_delivery_that_is_resent_leaves_at_once(worker: Runner, receiver: Receiver) -> None:
    write()
    assert resend(delivery=Delivery.objects.get())
    until(lambda: len(receiver.requests) == 2)


def test_a_worker_whose_webhooks_are_off_sends_nothing(worker: Runner, receiver: Receiver) -> None:
    write()
    polled = partial(is_polled, worker)
    switch_feature(name=FEATURE, on=False)
    # Afterwards: the worker looks once more after each delivery.
    make_due()
    worker.wake()
    until(polled)
    assert (len(receiver.requests), Delivery.objects.get().status) == (1, "pending")
    switch_feature(name=FEATURE, on=True)
    worker.wake()
    until(lambda: len(receiver.requests) == 2)


def make_due() -> None:
    Delivery.objects.update(**Delivery.values_to_requeue())


def is_polled(worker: Runner) -> bool:
    return not worker._wakeup.is_set()


def write_before_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an event be written, and its wake-up be polled for in vain, after the worker has looked for the last time."""
    pruning, take = deliveries._pruning, SENDING.take
    written, polled = threading.Event(), threading.Event()

    def meanwhile(endpoint: Endpoint) -> list[Sql]:
        if not written.is_set():
            written.set()
            make_item()
            assert polled.wait(10)
        return pruning(endpoint)

    def poll(stop: Any) -> Any:
        is_late = Delivery.objects.count() == 2
        found = take(stop)
        if is_late and found is None:
            polled.set()
        return found

    monkeypatch.setattr(deliveries, "_pruning", meanwhile)
    monkeypatch.setattr(SENDING, "take", poll)


def test_an_event_between_the_last_look_and_the_release(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    write_before_the_release(monkeypatch)
    request.getfixturevalue("worker")
    make_item()
    until(lambda: len(receiver.requests) == 2)


def test_control_without_another_poll_it_waits(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    work = EndpointLease.work

    def without(leased: EndpointLease, stop: Any) -> Round:
        return replace(work(leased, stop), goes_on=False)

    monkeypatch.setattr(EndpointLease, "work", without)
    write_before_the_release(monkeypatch)
    worker = request.getfixturevalue("worker")
    make_item()
    until(lambda: Delivery.objects.count() == 2 and not Endpoint.objects.exclude(leased_by="").exists())
    worker.stop()
    assert list(Delivery.objects.order_by("pk").values_list("status", flat=True)) == ["delivered", "pending"]
    assert len(receiver.requests) == 1


def test_a_receiver_that_fails_is_not_called_again_at_once(worker: Runner, receiver: Receiver) -> None:
    """Its retry is due at once in these tests; the next regular poll finds it."""
    receiver.set_answers("/hook", Answer(500), Answer())
    make_item()
    until(lambda: Attempt.objects.exists() and not Endpoint.objects.exclude(leased_by="").exists())
    worker.stop()
    assert (len(receiver.requests), Delivery.objects.get().failures) == (1, 1)


def test_a_connection_is_kept_between_leases(worker: Runner, receiver: Receiver) -> None:
    for _ in range(3):
        write()
    assert (len(receiver.requests), receiver.contacts) == (3, 1)
    worker.stop()
    assert deliveries._connections._idle == {}


def test_a_kept_connection_that_the_receiver_has_closed(worker: Runner, receiver: Receiver) -> None:
    receiver.set_answers("/hook", Answer(hangs_up=True))
    for _ in range(3):
        write()
    assert (len(receiver.requests), receiver.contacts) == (3, 3)
    assert set(Delivery.objects.values_list("status", "attempts", "failures")) == {("delivered", 1, 0)}


def test_a_kept_connection_is_not_used_for_another_host(worker: Runner, receiver: Receiver, authority: Authority) -> None:
    write()
    with receiving(authority.good, keeps_open=True) as other:
        endpoint = Endpoint.objects.get()
        update_endpoint(endpoint=endpoint, url=other.url(), events=endpoint.events, description="")
        write()
        worker.stop()
        assert (len(receiver.requests), len(other.requests)) == (1, 1)


def test_what_is_read_ahead_is_sent_as_the_endpoint_is_by_now(receiver: Receiver, settings: Any) -> None:
    """With the secret that it got while the delivery before was sent."""
    for _ in range(3):
        make_item()
    rotated: list[str] = []

    def rotate(_: Any) -> None:
        if not rotated:
            rotated.append(rotate_secret(endpoint=Endpoint.objects.get()))

    receiver.on_request(rotate)
    assert deliveries.deliver_due() == 3
    name = f"{settings.SIGNATURE_HEADER_PREFIX}-Signature".lower()
    assert [hex_signature(rotated[0], request.body) == request.headers[name] for request in receiver.requests] == [
        False,
        True,
        True,
    ]


def test_connections_are_closed_after_a_while(worker: Runner, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    write()
    monkeypatch.setattr(keeping, "IDLE_SECONDS", 0.0)
    deliveries._connections.close_idle(keeping.IDLE_SECONDS)
    write()
    assert (len(receiver.requests), receiver.contacts) == (2, 2)


def test_only_some_connections_are_kept(worker: Runner, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MAX_IDLE_CONNECTIONS", 2)
    for number in range(3):
        create_endpoint(url=receiver.url(f"/{number}"), events=["*"])
    write()
    until(lambda: len(deliveries._connections._idle) == 2)
    assert receiver.contacts == 4
