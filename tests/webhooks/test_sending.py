"""One call: over verified TLS to an address that was checked, within a deadline, reading no more than is worth it."""

import socket
from typing import Any

import pytest
from django.utils import timezone

from cms_api.webhooks.services import sending
from cms_api.webhooks.services.deliveries import deliver_due
from cms_api.webhooks.services.sending import Outcome
from cms_api.webhooks.types import KEPT_ANSWER, READ_ANSWER
from tests.builders import make_item

from .conftest import Subscribe
from .receiver import Answer, Authority, Receiver, receiving

#: The real one, which some tests replace.
LOOK_UP = socket.getaddrinfo


def post(url: str, body: bytes = b"{}") -> Outcome:
    return sending.post(url, body, {"Content-Type": "application/json"}, timezone.now())


def names(monkeypatch: pytest.MonkeyPatch, **known: list[str]) -> None:
    """Host names that lead, at each look-up, to the next of the given addresses (comma-separated where several at once)."""

    def look_up(host: Any, port: Any, *given: Any, **more: Any) -> Any:
        addresses = known.get(str(host).replace(".", "_"))
        if addresses is None:
            return LOOK_UP(host, port, *given, **more)
        found = addresses.pop(0) if len(addresses) > 1 else addresses[0]
        kinds = {False: socket.AF_INET, True: socket.AF_INET6}
        return [(kinds[":" in each], socket.SOCK_STREAM, 6, "", (each, port)) for each in found.split(",")]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


def test_it_works(receiver: Receiver) -> None:
    outcome = post(receiver.url())
    assert (outcome.succeeded, outcome.code, outcome.answer, outcome.error) == (True, 200, "ok", "")
    assert receiver.requests[0].body == b"{}"


def test_a_host_by_its_name(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, receiver_example=["127.0.0.1"])
    assert post(receiver.url(host="receiver.example")).succeeded
    assert receiver.requests[0].headers["host"] == f"receiver.example:{receiver.port}"


@pytest.mark.parametrize("certificate", ["wrong_name", "unknown"])
def test_a_certificate_that_cannot_be_trusted(trusting: None, authority: Authority, certificate: str) -> None:
    with receiving(getattr(authority, certificate)) as impostor:
        outcome = post(impostor.url())
        assert (outcome.succeeded, outcome.code, impostor.contacts, impostor.requests) == (False, None, 1, [])
        assert "certificate" in outcome.error or "doesn't match" in outcome.error


def test_a_certificate_of_another_host(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """The certificate is for the name in the address, not for where that leads."""
    names(monkeypatch, other_example=["127.0.0.1"])
    assert not post(receiver.url(host="other.example")).succeeded
    assert receiver.requests == []


def test_the_tests_own_authority_is_not_trusted_unless_it_is_named(receiver: Receiver, settings: Any) -> None:
    settings.WEBHOOK_CA_BUNDLE = ""
    sending.trust_anchors.cache_clear()
    assert not post(receiver.url()).succeeded
    assert receiver.requests == []


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(receiver: Receiver, code: int) -> None:
    receiver.tell("/hook", Answer(code, {"Location": receiver.url("/next")}))
    outcome = post(receiver.url())
    assert (outcome.succeeded, outcome.code, outcome.error) == (False, code, f"The receiver answered {code}.")
    assert receiver.contacts == 1


@pytest.mark.parametrize("drip", ["status", "headers", "continue", "body"])
def test_an_answer_in_drops_ends_with_the_deadline(receiver: Receiver, settings: Any, drip: str) -> None:
    settings.WEBHOOK_TIMEOUT = 0.6
    headers = {"Content-Length": "1000000"} if drip == "body" else {}
    receiver.tell("/hook", Answer(200, headers, drip=drip))
    outcome = post(receiver.url())
    assert (outcome.succeeded, outcome.code) == (False, None)
    assert "within 0.6 seconds" in outcome.error


def test_a_handshake_in_drops_ends_with_the_deadline(trusting: None, authority: Authority, settings: Any) -> None:
    settings.WEBHOOK_TIMEOUT = 0.6
    with receiving(authority.good, slow_handshake=True) as slow:
        outcome = post(slow.url())
        assert (outcome.code, "within 0.6 seconds" in outcome.error, slow.contacts) == (None, True, 1)


def test_a_connection_that_is_made_after_the_deadline_is_shut_down() -> None:
    """However the threads run, nothing is left that could take its time."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        adapter = sending._PinnedAdapter("127.0.0.1", 1)
        adapter.cut()
        adapter.hold(ours.dup())
        assert theirs.recv(1) == b""
        adapter.close()


def test_no_answer_at_all(receiver: Receiver, settings: Any) -> None:
    settings.WEBHOOK_TIMEOUT = 0.5
    receiver.tell("/hook", Answer(drip="nothing", headers={"Content-Length": "5"}, body=b""))
    outcome = post(receiver.url())
    assert (outcome.code, outcome.succeeded) == (None, False)


def test_a_connection_that_is_closed(receiver: Receiver) -> None:
    receiver.tell("/hook", Answer(closes=True))
    outcome = post(receiver.url())
    assert (outcome.code, outcome.succeeded) == (None, False)
    assert outcome.error.startswith("The call failed: ")


def test_nobody_listens(trusting: None) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    outcome = post(f"https://127.0.0.1:{port}/")
    assert (outcome.code, outcome.succeeded) == (None, False)
    assert "Connection refused" in outcome.error


def test_a_receiver_that_speaks_no_tls(trusting: None) -> None:
    with receiving(None) as plain:
        assert not post(plain.url()).succeeded
        assert plain.contacts == 1


@pytest.mark.parametrize(
    "headers", [{}, {"Transfer-Encoding": "chunked"}, {"Content-Encoding": "gzip"}], ids=["plain", "chunked", "packed"]
)
def test_no_more_of_an_answer_is_read_than_is_worth_it(receiver: Receiver, headers: dict[str, str]) -> None:
    """What was not read fills buffers on the way, a few MB at most; a packed answer is not unpacked."""
    body = b"x" * 50_000_000
    receiver.tell("/hook", Answer(200, headers, body=b"2faf080\r\n" + body if "Transfer-Encoding" in headers else body))
    outcome = post(receiver.url())
    assert (outcome.succeeded, outcome.answer) == (True, "x" * KEPT_ANSWER)
    assert receiver.sent < len(body) / 2
    assert receiver.requests[0].headers["accept-encoding"] == "identity"


def test_the_reading_of_an_answer_has_an_end() -> None:
    class Raw:
        given = 0

        def stream(self, size: int, **_: Any) -> Any:
            while True:
                self.given += size
                yield b"y" * size

    class Response:
        raw = Raw()

    response: Any = Response()
    assert len(sending._read(response)) == response.raw.given == READ_ANSWER


@pytest.mark.parametrize("body", [b"\xff\xfe\0\x00", "é".encode() * 2000, b"\0" * 3000])
@pytest.mark.django_db
def test_answers_of_any_bytes_are_logged(subscribe: Subscribe, receiver: Receiver, body: bytes) -> None:
    endpoint = subscribe()
    receiver.tell("/hook", Answer(body=body))
    make_item()
    deliver_due()
    delivery = endpoint.deliveries.get()
    assert delivery.status == "delivered"
    assert len(delivery.answer) <= KEPT_ANSWER
    assert "\0" not in delivery.answer


@pytest.mark.parametrize("code", ["0", "99", "1000", "99999", "abc", "-1"])
@pytest.mark.django_db
def test_a_status_that_is_none(subscribe: Subscribe, receiver: Receiver, code: Any) -> None:
    endpoint = subscribe()
    receiver.tell("/hook", Answer(code))
    make_item()
    deliver_due()
    assert endpoint.deliveries.get().status == "failed"


def test_a_proxy_in_the_environment_is_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving(None) as proxy:
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert post(receiver.url()).succeeded
        assert proxy.contacts == 0


@pytest.mark.django_db
def test_the_connection_goes_to_the_address_that_was_checked(
    receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that leads somewhere public when it is looked at, and to the loopback address ever after."""
    settings.WEBHOOK_ALLOWED_NETWORKS = []
    settings.WEBHOOK_TIMEOUT = 0.1
    for turn in range(20):
        flipping = ["203.0.114.1", "127.0.0.1"] if turn % 2 else ["127.0.0.1", "203.0.114.1"]
        names(monkeypatch, receiver_example=flipping * 10)
        assert not post(receiver.url(host="receiver.example")).succeeded
    assert receiver.contacts == 0


@pytest.mark.django_db
def test_the_same_with_the_guard_down(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shows that the receiver would have seen it."""
    names(monkeypatch, receiver_example=["127.0.0.1", "203.0.114.1"])
    assert post(receiver.url(host="receiver.example")).succeeded
    assert receiver.contacts == 1


def test_one_private_address_among_public_ones_is_enough(
    receiver: Receiver, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_ALLOWED_NETWORKS = []
    names(monkeypatch, receiver_example=["93.184.216.34,127.0.0.1"])
    outcome = post(receiver.url(host="receiver.example"))
    assert outcome.error == "The host leads to a private or reserved address."
    assert receiver.contacts == 0


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example", "xn--a.example", "\udcff.example", "%31.example", "[::1%25lo]"])
def test_hosts_that_cannot_be_looked_up(trusting: None, host: str) -> None:
    outcome = post(f"https://{host}/")
    assert (outcome.code, outcome.succeeded) == (None, False)
    assert outcome.error
