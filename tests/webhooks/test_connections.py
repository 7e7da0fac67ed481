"""The deliveries of one lease go over one connection, which is used again only where a new one might be made."""

import time
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from django.utils import timezone

from cms_api.outbound.connection import PinnedConnection
from cms_api.webhooks.models import Delivery
from cms_api.webhooks.services import sending
from cms_api.webhooks.services.deliveries import deliver_due
from cms_api.webhooks.services.endpoints import create_endpoint
from cms_api.webhooks.services.sending import Outcome
from tests.builders import make_item

from .conftest import Subscribe
from .receiver import Answer, Authority, Receiver, receiving
from .test_sending import names

REFUSED = "The host resolves to a private or reserved address."


@pytest.fixture
def keeping(trusting: None, authority: Authority) -> Iterator[Receiver]:
    """A receiver that leaves connections open."""
    with receiving(authority.good, keeps_open=True) as started:
        yield started


@pytest.fixture
def connection() -> Iterator[PinnedConnection]:
    with PinnedConnection() as opened:
        yield opened


def post(url: str, connection: PinnedConnection, body: bytes = b"{}") -> Outcome:
    return sending.post(url, body, {}, timezone.now(), connection)


def queue(url: str, count: int = 5) -> None:
    create_endpoint(url=url, events=["*"])
    for _ in range(count):
        make_item()


@pytest.mark.django_db
@pytest.mark.both_databases
def test_it_works(webhooks_on: None, keeping: Receiver) -> None:
    queue(keeping.url())
    assert deliver_due() == 5
    assert (keeping.contacts, len(keeping.requests)) == (1, 5)
    assert [request.json["delivery_id"] for request in keeping.requests] == sorted(Delivery.objects.values_list("pk", flat=True))


@pytest.mark.django_db
def test_each_has_its_own_where_the_receiver_closes_them(subscribe: Subscribe, receiver: Receiver) -> None:
    """The control."""
    subscribe()
    for _ in range(5):
        make_item()
    assert deliver_due() == 5
    assert (receiver.contacts, len(receiver.requests)) == (5, 5)


@pytest.mark.django_db
def test_a_receiver_that_closes_without_having_said_so(webhooks_on: None, keeping: Receiver) -> None:
    """An unanswered request is sent again on a new connection: nothing fails, and no attempt is counted."""
    keeping.set_answers("/hook", Answer(hangs_up=True))
    queue(keeping.url())
    assert deliver_due() == 5
    assert (keeping.contacts, len(keeping.requests)) == (5, 5)
    assert set(Delivery.objects.values_list("status", "attempts")) == {("delivered", 1)}


def test_one_that_hangs_up_on_new_connections_too(keeping: Receiver, connection: PinnedConnection) -> None:
    keeping.set_answers("/hook", Answer(), Answer(closes=True))
    assert post(keeping.url(), connection).succeeded
    outcome = post(keeping.url(), connection)
    assert (outcome.code, outcome.error[:20], len(keeping.requests), keeping.contacts) == (None, "The request failed: ", 3, 2)


def test_a_call_has_its_own_deadline(keeping: Receiver, connection: PinnedConnection, settings: Any) -> None:
    """Neither the one of the call before, which is over, nor none."""
    settings.WEBHOOK_TIMEOUT = 0.8
    keeping.set_answers("/hook", Answer(), Answer(), Answer(drip="status"))
    assert post(keeping.url(), connection).succeeded
    time.sleep(0.9)
    assert post(keeping.url(), connection).succeeded
    started = time.monotonic()
    assert post(keeping.url(), connection).error == "No complete response within 0.8 seconds."
    assert time.monotonic() - started < 5
    assert (len(keeping.requests), keeping.contacts) == (3, 1)


@pytest.mark.parametrize("answer", [Answer(body=b"x" * 200_000), Answer(500)])
def test_nothing_is_taken_for_the_next_answer(keeping: Receiver, connection: PinnedConnection, answer: Answer) -> None:
    """The rest of a long or failed answer is not waited for: the next request gets a new connection."""
    keeping.set_answers("/hook", answer, Answer(201, body=b"mine"))
    assert post(keeping.url(), connection).code == answer.status
    outcome = post(keeping.url(), connection)
    assert (outcome.code, outcome.answer, keeping.contacts) == (201, "mine", 2)


@pytest.mark.parametrize(("code", "headers"), [(204, {"Content-Length": "0"}), (200, {"Content-Length": "0"}), (200, {})])
def test_answers_after_which_it_can_be_used_again(
    keeping: Receiver, connection: PinnedConnection, code: int, headers: dict[str, str]
) -> None:
    keeping.set_answers("/hook", Answer(code, headers, b"" if headers else b"x" * 60_000))
    assert [post(keeping.url(), connection).code for _ in range(3)] == [code] * 3
    assert keeping.contacts == 1


def test_an_answer_in_chunks(keeping: Receiver, connection: PinnedConnection) -> None:
    keeping.set_answers("/hook", Answer(200, {"Transfer-Encoding": "chunked"}, b"3\r\nabc\r\n0\r\n\r\n"))
    assert [post(keeping.url(), connection).answer for _ in range(3)] == ["abc"] * 3
    assert keeping.contacts == 1


def test_a_host_that_leads_inside_by_now(
    keeping: Receiver, connection: PinnedConnection, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked up for each call, and refused although the connection stands."""
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.1/32")]
    names(monkeypatch, receiver_example=["127.0.0.1", "10.0.0.1", "127.0.0.1,10.0.0.1", "10.0.0.1,127.0.0.1", "127.0.0.1"])
    url = keeping.url(host="receiver.example")
    assert post(url, connection).succeeded
    assert [post(url, connection).error for _ in range(3)] == [REFUSED] * 3
    assert len(keeping.requests) == 1
    assert post(url, connection).succeeded


def test_a_host_that_has_moved(
    keeping: Receiver, authority: Authority, connection: PinnedConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is left for one to where the host is now; it stays while its address is still one of the host's."""
    try:
        other = Receiver(authority.good, host="127.0.0.2", port=keeping.port, keeps_open=True)
    except OSError:
        pytest.skip("This machine has one loopback address only.")
    try:
        names(monkeypatch, receiver_example=["127.0.0.1", "127.0.0.2,127.0.0.1", "127.0.0.2", "127.0.0.2"])
        for _ in range(4):
            assert post(keeping.url(host="receiver.example"), connection).succeeded
        assert (len(keeping.requests), len(other.requests), keeping.contacts, other.contacts) == (2, 2, 1, 1)
    finally:
        connection.close()
        other.close()


def test_another_host_at_the_same_address(
    keeping: Receiver, connection: PinnedConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its certificate has not been looked at."""
    names(monkeypatch, receiver_example=["127.0.0.1"], other_example=["127.0.0.1"])
    assert post(keeping.url(host="receiver.example"), connection).succeeded
    assert "certificate" in post(keeping.url(host="other.example"), connection).error
    assert (len(keeping.requests), keeping.contacts) == (1, 2)
