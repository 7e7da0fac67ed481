"""Several workers: each endpoint is one's at a time, a hanging one is nobody else's trouble, and a worker may die."""

import datetime as dt
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections
from django.utils import timezone

from cms_api.content.services.bulk import create_items
from cms_api.core.leases import renew
from cms_api.webhooks.models import Delivery, Endpoint
from cms_api.webhooks.selectors import lease, next_due
from cms_api.webhooks.services.deliveries import ENDPOINT_SECONDS, deliver_due, lease_endpoint
from cms_api.webhooks.services.endpoints import delete_endpoint, disable_endpoint
from tests.builders import blog_post, make_item
from tests.client import together

from .conftest import Subscribe
from .receiver import Answer, Authority, Receiver, bodies_by_id

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[2]


def wait_until(holds: Any) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, "It never came to be."
        time.sleep(0.02)


def disable(endpoint: Endpoint) -> None:
    disable_endpoint(endpoint=endpoint, reason="By hand.")


def delete(endpoint: Endpoint) -> None:
    delete_endpoint(endpoint=Endpoint.objects.get(pk=endpoint.pk))


def renewed(endpoint: Endpoint) -> None:
    assert renew(endpoint, lease())


def saved(endpoint: Endpoint) -> None:
    Endpoint.objects.get(pk=endpoint.pk).save()


def make_items(count: int) -> None:
    create_items(item_type=blog_post(), rows=[{"data": {"title": f"Item {number}"}} for number in range(count)])


@contextmanager
def working() -> Iterator[None]:
    """Another worker, in a thread, until nothing is due."""

    def run() -> None:
        try:
            deliver_due()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(run)
        yield
        done.result(60)


def test_it_works_with_several_workers(subscribe: Subscribe, receiver: Receiver) -> None:
    """Each delivery is made once, and never two at once to the same endpoint."""
    paths = ["/a", "/b", "/c"]
    for path in paths:
        subscribe(path)
    make_items(12)
    pause = threading.Event()
    receiver.on_request(lambda request: pause.wait(0.02) and None)
    made = together(lambda _: deliver_due(), 4)
    assert sum(made) == len(receiver.requests) == 36
    assert receiver.most == dict.fromkeys(paths, 1)
    assert len(bodies_by_id(receiver.requests)) == 36
    for path in paths:
        numbers = [request.json["delivery_id"] for request in receiver.at(path)]
        assert numbers == sorted(numbers)
    assert set(Endpoint.objects.values_list("leased_by", "leased_until")) == {("", None)}


def test_without_leases_they_would_meet(subscribe: Subscribe, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a lease that is over at once lets a second worker in."""
    subscribe()
    make_items(2)
    monkeypatch.setattr("cms_api.webhooks.services.deliveries.lease", lambda: dt.timedelta(seconds=-1))
    go = threading.Event()
    receiver.set_answers("/hook", Answer(until=go))
    with working(), working():
        wait_until(lambda: len(receiver.requests) >= 2)
        go.set()
    assert receiver.most["/hook"] >= 2


def test_a_hanging_endpoint_delays_nobody(subscribe: Subscribe, receiver: Receiver) -> None:
    """With fifty deliveries in its queue, only the one that hangs is a worker's; the other endpoint gets all of its own."""
    subscribe("/hangs")
    subscribe("/well")
    make_items(50)
    go = threading.Event()
    receiver.set_answers("/hangs", Answer(until=go))
    with working():
        wait_until(lambda: receiver.at("/hangs"))
        wait_until(lambda: deliver_due() == 0 and len(receiver.at("/well")) == 50)
        assert len(receiver.at("/hangs")) == 1
        go.set()
    assert len(receiver.at("/hangs")) == 50
    assert receiver.most == {"/hangs": 1, "/well": 1}


def test_a_failing_endpoint_waits_for_its_turn_again(subscribe: Subscribe, receiver: Receiver) -> None:
    """One worker alone: after a failure it turns to the others first."""
    subscribe("/fails")
    subscribe("/well")
    receiver.set_answers("/fails", Answer(500))
    make_items(5)
    deliver_due()
    order = [request.path for request in receiver.requests]
    assert order.index("/well") == 1
    assert len([path for path in order[: order.index("/well") + 6] if path == "/fails"]) <= 2


def test_a_worker_that_lost_its_lease_sends_nothing(subscribe: Subscribe, receiver: Receiver) -> None:
    subscribe()
    make_items(3)
    leased = lease_endpoint()
    assert leased is not None
    assert lease_endpoint() is None
    Endpoint.objects.update(leased_until=timezone.now() - dt.timedelta(seconds=1))
    other = lease_endpoint()
    assert other is not None
    assert (leased.work().attempts, receiver.contacts) == (0, 0)
    assert Endpoint.objects.get().leased_by == other.endpoint.leased_by
    assert (other.work().attempts, len(receiver.requests)) == (3, 3)


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Let something happen once, between a worker's look for due deliveries and its lease."""
    waiting = [act]

    def then_act() -> list[Delivery]:
        due = next_due()
        if waiting:
            waiting.pop()()
        return due

    monkeypatch.setattr("cms_api.webhooks.services.deliveries.next_due", then_act)


def test_a_worker_that_is_slower_gets_the_next_endpoint(subscribe: Subscribe, monkeypatch: pytest.MonkeyPatch) -> None:
    subscribe("/a")
    subscribe("/b")
    make_items(1)
    faster: list[Any] = []
    meanwhile(monkeypatch, lambda: faster.append(lease_endpoint()))
    slower = lease_endpoint()
    assert slower is not None
    assert (faster[0].endpoint.url[-2:], slower.endpoint.url[-2:]) == ("/a", "/b")


@pytest.mark.parametrize("act", [renewed, disable, delete, saved])
def test_an_endpoint_that_changes_before_it_is_leased(
    subscribe: Subscribe, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, act: Any
) -> None:
    """Also by the worker that had its last lease, which has ended: it goes on if nobody else has one by then."""
    subscribe()
    make_items(1)
    leased = lease_endpoint()
    assert leased is not None
    Endpoint.objects.update(leased_until=timezone.now() - dt.timedelta(seconds=1))
    meanwhile(monkeypatch, lambda: act(leased.endpoint))
    found = lease_endpoint()
    assert (found is None) == (act is not saved)
    assert found is None or found.endpoint.updated_at == Endpoint.objects.get().updated_at


def test_a_stopped_worker_begins_no_more_attempts(subscribe: Subscribe, receiver: Receiver) -> None:
    """Another worker can lease the remaining deliveries at once."""
    subscribe()
    make_items(5)
    leased = lease_endpoint()
    assert leased is not None
    assert leased.work(stop=lambda: len(receiver.requests) >= 2).attempts == 2
    assert deliver_due() == 3


@pytest.mark.parametrize("meddle", [disable, delete])
def test_what_a_person_does_while_attempts_are_recorded(subscribe: Subscribe, receiver: Receiver, meddle: Any) -> None:
    """Both take the same locks in the same order: neither fails, wherever they meet."""
    for number in range(10):
        endpoint = subscribe(f"/{number}")
        make_items(10)
        with working():
            wait_until(lambda path=f"/{number}": receiver.at(path))
            meddle(endpoint)
        assert not endpoint.deliveries.filter(status="pending").exists()


def test_a_lease_outlasts_any_attempt(settings: Any) -> None:
    """The last one begins when the lease is so old; connecting, handshake and answer end within the timeout at the latest."""
    for seconds in (1, 10, 15):
        settings.WEBHOOK_TIMEOUT = seconds
        assert lease().total_seconds() >= ENDPOINT_SECONDS + seconds + 15


def database_url() -> str:
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    user = given["USER"] + (f":{given['PASSWORD']}" if given["PASSWORD"] else "")
    return f"postgresql://{user}@{given['HOST']}:{given['PORT'] or 5432}/{given['NAME']}"


def test_a_worker_that_is_killed(subscribe: Subscribe, receiver: Receiver, authority: Authority, tmp_path: Path) -> None:
    """In the midst of a call: the attempt counts, and when the lease is over it is made again, with the same id and body."""
    subscribe()
    make_item()
    receiver.set_answers("/hook", Answer(until=threading.Event()), Answer(200))
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "DATABASE_URL": database_url(),
        "VAR_DIR": str(tmp_path),
        "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
        "WEBHOOK_CA_BUNDLE": str(authority.trusted),
        "WEBHOOK_TIMEOUT": "60",
    }
    worker = subprocess.Popen([sys.executable, "manage.py", "deliver_due"], cwd=ROOT, env=environment)
    try:
        wait_until(lambda: receiver.requests)
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    delivery = Delivery.objects.get()
    assert (delivery.status, delivery.attempts, delivery.failures) == ("pending", 1, 0)
    assert (deliver_due(), len(receiver.requests)) == (0, 1)
    past = timezone.now() - dt.timedelta(seconds=1)
    Endpoint.objects.update(leased_until=past)
    assert deliver_due() == 0
    Delivery.objects.update(next_attempt_at=past)
    assert deliver_due() == 1
    delivery.refresh_from_db()
    assert (delivery.status, delivery.attempts) == ("delivered", 2)
    first, second = receiver.requests
    assert (first.body, first.headers["webhook-id"]) == (second.body, second.headers["webhook-id"])
