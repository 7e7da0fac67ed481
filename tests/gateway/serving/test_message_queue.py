"""Messages of pages are answered together, pages go first, and what is too much is refused before it is read."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from cms_api.gateway.serving import message_queue
from cms_api.gateway.serving.message_queue import MOST, Message, MessageQueue
from cms_api.gateway.serving.requests import Requests

from .conftest import EchoServer, echo_server, read_to_end, read_until

pytestmark = pytest.mark.once

CLOSE = b"Host: a.example\r\nConnection: close\r\n"
PATIENCE = 10


def post(body: bytes, more: bytes = b"") -> bytes:
    return b"POST /messages HTTP/1.1\r\n" + CLOSE + more + b"Content-Length: %d\r\n\r\n" % len(body) + body


def test_a_body_that_comes_later(echo: EchoServer) -> None:
    sent = post(b"whole body")
    with echo.connect() as connection:
        connection.sendall(sent[:-4])
        time.sleep(0.1)
        connection.sendall(sent[-4:])
        assert read_to_end(connection).endswith(b"\r\n\r\nwhole body")


def test_a_client_that_goes_away_does_not_stop_the_others(echo: EchoServer) -> None:
    for _ in range(3):
        with echo.connect() as connection:
            connection.sendall(post(b"whole body")[:-4])
    assert echo.ask(post(b"another")).endswith(b"another")


@pytest.mark.parametrize(
    ("sent", "status", "together"),
    [
        (post(b"x"), b"200", True),
        (post(b"x", b"X-Two: 1\r\nX-Two: 2\r\n"), b"200", True),
        (post(b"x", "Cookie: é\r\n".encode()), b"200", True),
        (post(b"x", "Authorization: é\r\n".encode()), b"400", False),
        (post(b"x" * 8192), b"200", True),
        (post(b"x" * 8193), b"200", False),
        (post(b""), b"200", False),
        (b"GET /messages HTTP/1.1\r\n" + CLOSE + b"\r\n", b"200", False),
        (b"POST /messages HTTP/1.1\r\n" + CLOSE + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", b"411", False),
    ],
)
def test_unusual_ones_are_answered_by_themselves(echo: EchoServer, sent: bytes, status: bytes, together: bool) -> None:
    answer = echo.ask(sent)
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert (b"x-together: 1\r\n" in answer) == together


def test_those_that_have_arrived_are_answered_before_a_stop() -> None:
    with ThreadPoolExecutor(1) as pool:
        with echo_server() as server:
            # A process that stops leaves connections that it has not accepted to others: this one is accepted.
            connection = server.connect()
            connection.sendall(b"POST /messages HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nfirst")
            read_until(connection, b"first")
            connection.sendall(b"POST /messages HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nlast")
            answer = pool.submit(read_to_end, connection)
        found = answer.result(PATIENCE)
        connection.close()
    assert found.endswith(b"last")


class Protocol:
    """A request whose body has arrived, and its answer."""

    def __init__(self) -> None:
        self.answer: Future[tuple[int, Any]] = Future()

    def __call__(self) -> "Future[bytes]":
        body: Future[bytes] = Future()
        body.set_result(b"{}")
        return body

    def response_empty(self, status: int, headers: Any) -> None:
        self.answer.set_result((status, headers))

    def response_bytes(self, status: int, headers: Any, body: bytes) -> None:
        self.answer.set_result((status, headers))


class SentHeaders(dict[str, str]):
    """As Granian has them."""


class Scope:
    path, method, scheme, client = "/messages", "POST", "http", "127.0.0.1:1"
    headers = SentHeaders({"content-length": "2"})


@contextmanager
def queue(
    requests: Requests, answer: Callable[[Sequence[Message]], Any] = lambda messages: [(204, [], b"")] * len(messages)
) -> Iterator[Callable[[], Protocol]]:
    """Yield what sends a message to a queue."""
    loop = asyncio.new_event_loop()
    found = MessageQueue({"/messages"}, answer, requests, loop)

    def send() -> Protocol:
        protocol = Protocol()
        assert found.take(Scope(), protocol)  # type: ignore[arg-type]
        return protocol

    yield send
    found.shutdown()
    loop.close()


def test_pages_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_queue, "LONGEST_WAIT", 60.0)
    requests = Requests()
    with queue(requests) as send:
        assert send().answer.result(PATIENCE)[0] == 204
        requests.begin()
        requests.begin()
        waiting = send()
        requests.end()
        time.sleep(0.05)
        assert not waiting.answer.done()
        requests.end()
        assert waiting.answer.result(PATIENCE)[0] == 204


def test_a_page_begins_undisturbed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_queue, "UNDISTURBED", 60.0)
    requests = Requests()
    with queue(requests) as send, ThreadPoolExecutor(1) as server:
        requests.begin()
        reading = server.submit(send)
        time.sleep(0.05)
        assert not reading.done()
        requests.end()
        assert reading.result(PATIENCE).answer.result(PATIENCE)[0] == 204
        # A page that goes on is no reason to wait.
        monkeypatch.setattr(message_queue, "UNDISTURBED", 0.0)
        requests.begin()
        assert send().answer.result(PATIENCE)[0] == 204


def test_messages_do_not_wait_for_pages_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_queue, "LONGEST_WAIT", 0.02)
    requests = Requests()
    requests.begin()
    with queue(requests) as send:
        assert send().answer.result(PATIENCE)[0] == 204


def test_beyond_the_capacity_they_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_queue, "CAPACITY", 2)
    monkeypatch.setattr(message_queue, "LONGEST_WAIT", 60.0)
    requests = Requests()
    requests.begin()
    with queue(requests) as send:
        taken, refused = [send(), send()], send()
        status, headers = refused.answer.result(0)
        assert (status, dict(headers)["retry-after"]) == (503, "30")
        requests.end()
        assert {each.answer.result(PATIENCE)[0] for each in taken} == {204}


def test_those_that_wait_are_batches() -> None:
    sizes: list[int] = []
    is_busy, may_go_on = threading.Event(), threading.Event()

    def answer(messages: Sequence[Message]) -> Any:
        sizes.append(len(messages))
        is_busy.set()
        assert may_go_on.wait(PATIENCE)
        return [(204, [], b"")] * len(messages)

    with queue(Requests(), answer) as send:
        sent = [send()]
        assert is_busy.wait(PATIENCE)
        sent += [send() for _ in range(MOST + 3)]
        may_go_on.set()
        assert {each.answer.result(PATIENCE)[0] for each in sent} == {204}
    assert sizes == [1, MOST, 3]


def test_a_failure_is_that_of_its_batch(caplog: pytest.LogCaptureFixture) -> None:
    failing = [True]

    def answer(messages: Sequence[Message]) -> Any:
        return [1 // 0] if failing.pop() else [(204, [], b"")]

    with queue(Requests(), answer) as send:
        assert send().answer.result(PATIENCE)[0] == 500
        failing.append(False)
        assert send().answer.result(PATIENCE)[0] == 204
    assert "ZeroDivisionError" in caplog.text
