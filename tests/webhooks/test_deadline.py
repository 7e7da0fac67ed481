"""A resolver that is slow or dead: the time for a call bounds the look-up too, and nobody else waits for it."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections, transaction
from django.test import Client

from cms_api.outbound import lookup
from cms_api.webhooks.models import Delivery, Endpoint
from cms_api.webhooks.services import endpoints
from cms_api.webhooks.services.deliveries import deliver_due
from tests.builders import blog_post, make_item
from tests.client import Api
from tests.waiting import until

from .conftest import Subscribe
from .receiver import Answer, Receiver
from .test_sending import LOOK_UP, post

HOST = "hangs.example"
URL = f"https://{HOST}/hook"


class Resolver:
    """Withholds the answer for one name until `go` is set or `patience` has passed; the answer is the receiver."""

    def __init__(self) -> None:
        self.asked = 0
        self.go = threading.Event()
        self.patience = 30.0

    def look_up(self, host: Any, port: Any, *given: Any, **more: Any) -> Any:
        if host != HOST:
            return LOOK_UP(host, port, *given, **more)
        self.asked += 1
        self.go.wait(self.patience)
        return LOOK_UP("127.0.0.1", port, *given, **more)


@pytest.fixture
def resolver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Resolver]:
    made = Resolver()
    monkeypatch.setattr(socket, "getaddrinfo", made.look_up)
    yield made
    made.go.set()
    until(lambda: looking_up() == 0)


def looking_up() -> int:
    """Count the look-ups under way."""
    return lookup._free._initial_value - lookup._free._value  # type: ignore[attr-defined]


def test_it_works_as_soon_as_the_resolver_answers(resolver: Resolver, receiver: Receiver) -> None:
    """The control: the name is the receiver's, which is reached (and refused, as its certificate names another host)."""
    resolver.go.set()
    outcome = post(receiver.url(host=HOST))
    assert ("certificate" in outcome.error, receiver.contacts, resolver.asked) == (True, 1, 1)


def test_a_look_up_that_hangs_ends_with_the_deadline(resolver: Resolver, receiver: Receiver, settings: Any) -> None:
    settings.WEBHOOK_TIMEOUT = 0.3
    started = time.monotonic()
    outcome = post(receiver.url(host=HOST))
    assert 0.3 <= time.monotonic() - started < 5
    assert (outcome.code, outcome.succeeded) == (None, False)
    assert outcome.error == "The host could not be found: no answer from the resolver within 0.3 seconds"
    assert 300 <= outcome.duration_ms < 5000
    assert receiver.contacts == 0


def test_a_slow_look_up_leaves_the_rest_of_the_time_to_the_call(
    resolver: Resolver, receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_TIMEOUT = 1.5
    resolver.patience = 1.2
    receiver.set_answers("/hook", Answer(drip="status"))
    monkeypatch.setattr(f"{__name__}.HOST", "receiver.example")
    started = time.monotonic()
    outcome = post(receiver.url(host="receiver.example"))
    assert 1.5 <= time.monotonic() - started < 2.4
    assert (outcome.error, receiver.contacts) == ("No complete response within 1.5 seconds.", 1)


def test_dead_resolvers_hold_a_bounded_number_of_threads(
    resolver: Resolver, receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that finds all threads busy waits no longer than others, and calls succeed again once threads are free."""
    monkeypatch.setattr(lookup, "_free", threading.BoundedSemaphore(3))
    settings.WEBHOOK_TIMEOUT = 0.2
    for _ in range(6):
        started = time.monotonic()
        assert not post(receiver.url(host=HOST)).succeeded
        assert time.monotonic() - started < 5
    assert (looking_up(), resolver.asked) == (3, 3)
    assert "could not be found" in post(receiver.url()).error
    resolver.go.set()
    settings.WEBHOOK_TIMEOUT = 10
    assert post(receiver.url()).succeeded


def test_without_a_bound_they_would_pile_up(resolver: Resolver, receiver: Receiver, settings: Any) -> None:
    """The control: as many threads as calls."""
    settings.WEBHOOK_TIMEOUT = 0.05
    for _ in range(6):
        post(receiver.url(host=HOST))
    assert looking_up() == 6
    assert lookup.MAX_LOOKUPS >= 6


@pytest.mark.django_db
@pytest.mark.both_databases
def test_it_counts_as_a_failed_attempt_and_others_get_theirs(
    resolver: Resolver, subscribe: Subscribe, receiver: Receiver, settings: Any
) -> None:
    settings.WEBHOOK_TIMEOUT = 1
    settings.WEBHOOK_RETRY_DELAYS = [60]
    slow, well = subscribe(), subscribe("/well")
    Endpoint.objects.filter(pk=slow.pk).update(url=receiver.url(host=HOST))
    make_item()
    assert deliver_due() == 2
    assert slow.deliveries.get().failures == 1
    assert (well.deliveries.get().status, len(receiver.at("/well"))) == ("delivered", 1)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "LOOKUP_SECONDS", 0.3)


@pytest.mark.django_db
def test_a_subscription_does_not_wait_for_it(resolver: Resolver, manager: Api, impatient: None) -> None:
    """As for a host that cannot be found: it may be found tomorrow, and is looked at when it is sent to."""
    started = time.monotonic()
    made = manager.post("/webhooks", {"url": URL, "events": ["*"]})
    assert (made.status_code, resolver.asked) == (201, 1)
    assert 0.3 <= time.monotonic() - started < 10
    make_item()
    resolver.go.set()
    deliver_due()
    assert Delivery.objects.get().error == "The host resolves to a private or reserved address."


@pytest.mark.django_db
def test_nor_does_a_person(resolver: Resolver, admin_client: Client, webhooks_on: None, impatient: None) -> None:
    once = admin_client.get("/admin/webhooks/new/").context["form"]["once"].value()
    given = {"url": URL, "events": ["*"], "description": ""}
    started = time.monotonic()
    assert admin_client.post("/admin/webhooks/new/", {**given, "once": once}).status_code == 200
    endpoint = Endpoint.objects.get()
    changed = admin_client.post(f"/admin/webhooks/edit/{endpoint.pk}/", {**given, "url": URL + "/2"})
    assert (changed.status_code, resolver.asked) == (302, 2)
    assert 0.6 <= time.monotonic() - started < 10


@pytest.mark.django_db(transaction=True)
def test_no_writer_waits_for_it(resolver: Resolver, manager: Api) -> None:
    """While a subscription's host is looked up, nothing is locked: on SQLite there is one writer at a time."""
    blog_post()

    def subscribe() -> int:
        try:
            made: int = manager.post("/webhooks", {"url": URL, "events": ["*"]}).status_code
            return made
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        subscribing = pool.submit(subscribe)
        while not resolver.asked:
            time.sleep(0.01)
        make_item()
        assert not subscribing.done()
        resolver.go.set()
        assert subscribing.result(10) == 422


@pytest.mark.django_db(transaction=True)
def test_a_host_is_looked_up_before_a_transaction(resolver: Resolver, webhooks_on: None, impatient: None) -> None:
    with pytest.raises(RuntimeError, match="before or after the transaction"), transaction.atomic():
        endpoints.create_endpoint(url=URL, events=["*"])
    checked = endpoints.check_reachable(URL)
    with transaction.atomic():
        endpoint = endpoints.create_endpoint(url=checked, events=["*"])
        endpoints.update_endpoint(endpoint=endpoint, url=URL, events=["*"], description="The same URL")
    assert (resolver.asked, Endpoint.objects.get().url) == (1, URL)
