"""One call: verified TLS to a checked address, a deadline, and a limit on the bytes read."""

import socket
import ssl
import time
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.outbound.connection import PinnedConnection
from cms_api.webhooks.services import sending
from cms_api.webhooks.services.deliveries import deliver_due
from cms_api.webhooks.services.sending import Outcome
from cms_api.webhooks.types import LOGGED_ANSWER_CHARACTERS, READ_ANSWER_BYTES
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


def test_an_answer_that_was_announced_counts(receiver: Receiver) -> None:
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
    final = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"
    receiver.set_answers("/hook", Answer(raw=hints + b"HTTP/1.1 102 Processing\r\n\r\n" + final), Answer(raw=hints * 100))
    outcome = post(receiver.url())
    assert (outcome.succeeded, outcome.code, outcome.answer) == (True, 200, "done")
    assert not post(receiver.url()).succeeded


def test_a_host_by_its_name(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    names(monkeypatch, receiver_example=["127.0.0.1"], receiver_example_=["127.0.0.1"])
    for host in ("receiver.example", "receiver.example."):
        assert post(receiver.url(host=host)).succeeded
        assert receiver.requests[-1].headers["host"] == f"{host}:{receiver.port}"


def test_an_address_of_the_newer_kind(trusting: None, authority: Authority, settings: Any) -> None:
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("::1/128")]
    try:
        receiver = Receiver(authority.good, host="::1")
    except OSError:
        pytest.skip("This machine has no IPv6.")
    try:
        assert post(receiver.url(host="[::1]")).succeeded
        assert receiver.requests[0].headers["host"] == f"[::1]:{receiver.port}"
    finally:
        receiver.close()


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("", "/"),
        ("?a=b", "/?a=b"),
        ("/a%20b/%C3%A9?c=%26&d=[1]", "/a%20b/%C3%A9?c=%26&d=%5B1%5D"),
        ("/é?ü=ö", "/%C3%A9?%C3%BC=%C3%B6"),
    ],
)
def test_what_is_asked_for(receiver: Receiver, path: str, asked: str) -> None:
    assert post(receiver.url(path)).succeeded
    assert receiver.requests[0].path == asked


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
    assert not post(receiver.url()).succeeded
    assert receiver.requests == []


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(receiver: Receiver, code: int) -> None:
    receiver.set_answers("/hook", Answer(code, {"Location": receiver.url("/next")}))
    outcome = post(receiver.url())
    assert (outcome.succeeded, outcome.code, outcome.error) == (False, code, f"The receiver answered {code}.")
    assert receiver.contacts == 1


@pytest.mark.parametrize("drip", ["status", "headers", "continue", "body"])
def test_an_answer_in_drops_ends_with_the_deadline(receiver: Receiver, settings: Any, drip: str) -> None:
    settings.WEBHOOK_TIMEOUT = 0.6
    headers = {"Content-Length": "1000000"} if drip == "body" else {}
    receiver.set_answers("/hook", Answer(200, headers, drip=drip))
    outcome = post(receiver.url())
    assert (outcome.succeeded, outcome.code) == (False, None)
    assert "within 0.6 seconds" in outcome.error


def test_a_handshake_in_drops_ends_with_the_deadline(trusting: None, authority: Authority, settings: Any) -> None:
    settings.WEBHOOK_TIMEOUT = 0.6
    with receiving(authority.good, slow_handshake=True) as slow:
        outcome = post(slow.url())
        assert (outcome.code, "within 0.6 seconds" in outcome.error, slow.contacts) == (None, True, 1)


def test_a_body_that_is_not_taken_ends_with_the_deadline(trusting: None, authority: Authority, settings: Any) -> None:
    settings.WEBHOOK_TIMEOUT = 0.6
    with receiving(authority.good, deaf=True) as deaf:
        started = time.monotonic()
        outcome = post(deaf.url(), b"x" * 50_000_000)
        assert (outcome.code, "within 0.6 seconds" in outcome.error, deaf.contacts) == (None, True, 1)
        assert time.monotonic() - started < 5


def test_no_connection_is_made_after_the_deadline(receiver: Receiver) -> None:
    with (
        PinnedConnection() as connection,
        pytest.raises(TimeoutError),
        connection.send("POST", receiver.url(), {}, [ip_address("127.0.0.1")], time.monotonic(), b"{}"),
    ):
        pass
    assert receiver.contacts == 0


def test_no_answer_at_all(receiver: Receiver, settings: Any) -> None:
    settings.WEBHOOK_TIMEOUT = 0.5
    receiver.set_answers("/hook", Answer(drip="nothing", headers={"Content-Length": "5"}, body=b""))
    outcome = post(receiver.url())
    assert (outcome.code, outcome.succeeded) == (None, False)


def test_a_connection_that_is_closed(receiver: Receiver) -> None:
    receiver.set_answers("/hook", Answer(closes=True))
    outcome = post(receiver.url())
    assert (outcome.code, outcome.succeeded) == (None, False)
    assert outcome.error.startswith("The request failed: ")


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
def test_no_more_of_an_answer_is_read_than_is_worth_it(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
) -> None:
    """Unread data fills buffers on the way, a few MB at most; a compressed answer is not decompressed."""
    read: list[int] = []
    receive = ssl.SSLSocket.recv_into
    monkeypatch.setattr(ssl.SSLSocket, "recv_into", lambda *given: read.append(receive(*given)) or read[-1])
    body = b"x" * 50_000_000
    receiver.set_answers("/hook", Answer(200, headers, body=b"2faf080\r\n" + body if "Transfer-Encoding" in headers else body))
    outcome = post(receiver.url())
    assert (outcome.succeeded, outcome.answer) == (True, "x" * LOGGED_ANSWER_CHARACTERS)
    assert READ_ANSWER_BYTES <= sum(read) < READ_ANSWER_BYTES + 16384
    assert receiver.sent < len(body) / 2
    assert receiver.requests[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("body", [b"\xff\xfe\0\x00", "é".encode() * 2000, b"\0" * 3000])
@pytest.mark.django_db
@pytest.mark.both_databases
def test_answers_of_any_bytes_are_logged(subscribe: Subscribe, receiver: Receiver, body: bytes) -> None:
    endpoint = subscribe()
    receiver.set_answers("/hook", Answer(body=body))
    make_item()
    deliver_due()
    delivery = endpoint.deliveries.get()
    assert delivery.status == "delivered"
    assert len(delivery.answer) <= LOGGED_ANSWER_CHARACTERS
    assert "\0" not in delivery.answer


@pytest.mark.parametrize("code", ["0", "99", "1000", "99999", "abc", "-1", "\0"])
@pytest.mark.django_db
def test_a_status_that_is_none(subscribe: Subscribe, receiver: Receiver, code: Any) -> None:
    endpoint = subscribe()
    receiver.set_answers("/hook", Answer(code))
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
    for number in range(20):
        flipping = ["203.0.114.1", "127.0.0.1"] if number % 2 else ["127.0.0.1", "203.0.114.1"]
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
    assert outcome.error == "The host resolves to a private or reserved address."
    assert receiver.contacts == 0


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example", "xn--a.example", "\udcff.example", "%31.example", "[::1%25lo]"])
def test_hosts_that_cannot_be_looked_up(trusting: None, host: str) -> None:
    outcome = post(f"https://{host}/")
    assert (outcome.code, outcome.succeeded) == (None, False)
    assert outcome.error


@pytest.mark.django_db
def test_each_delivery_takes_few_round_trips(subscribe: Subscribe, receiver: Receiver) -> None:
    """PostgreSQL gets the outcome of an attempt and the beginning of the next one in one message."""
    subscribe()
    counts = []
    for count in (1, 11):
        for _ in range(count):
            make_item()
        with CaptureQueriesContext(connection) as sent:
            assert deliver_due() == count
        counts.append(len(sent))
    assert (counts[1] - counts[0]) / 10 <= (1 if connection.vendor == "postgresql" else 4)
