"""How long a body may take and how much of it is stored, with a client in the test's event loop."""

import asyncio
import tempfile
from typing import IO, Any

import pytest

from cms_api.gateway.serving import bodies
from cms_api.gateway.serving.bodies import BodyReceiver, BodyRefused, Disconnected
from cms_api.gateway.serving.bridge import CLOSE, WsgiBridge


class Client:
    """Sends chunks, each after a pause in seconds, and then nothing for ever or, if it `leaves`, that it has gone."""

    def __init__(self, *chunks: bytes, pause: float = 0, leaves: bool = False) -> None:
        self.chunks, self.pause, self.leaves = list(chunks), pause, leaves
        self.sent = 0

    async def receive(self, length: int) -> dict[str, Any]:
        await asyncio.sleep(self.pause)
        if self.chunks:
            chunk = self.chunks.pop(0)
            self.sent += len(chunk)
            return {"type": "http.request", "body": chunk, "more_body": self.sent < length}
        if self.leaves:
            return {"type": "http.disconnect"}
        await asyncio.sleep(3600)
        raise AssertionError


def open_body(client: Client, length: int, receiver: BodyReceiver) -> IO[bytes]:
    return asyncio.run(receiver.receive(str(length), False, lambda: client.receive(length)))[0]


def receive(client: Client, length: int, receiver: BodyReceiver | None = None) -> bytes:
    receiver = receiver or BodyReceiver()
    body = open_body(client, length, receiver)
    try:
        return body.read()
    finally:
        receiver.release(body)


def test_a_body_in_one_piece_and_in_many() -> None:
    assert receive(Client(b"whole"), 5) == b"whole"
    assert receive(Client(b"in", b" many", b" pieces"), 14) == b"in many pieces"


def test_a_client_that_stops_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "EXTRA_SECONDS", 0.05)
    with pytest.raises(BodyRefused) as refusal:
        receive(Client(b"begun"), 100)
    assert refusal.value.status == 408


def test_a_client_that_sends_a_byte_at_a_time_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte arrives in time, but all of them would take an hour."""
    monkeypatch.setattr(bodies, "EXTRA_SECONDS", 0.05)
    with pytest.raises(BodyRefused) as refusal:
        receive(Client(*[b"x"] * 1000, pause=0.01), 1000)
    assert refusal.value.status == 408


def test_a_client_with_a_slow_line_may_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "EXTRA_SECONDS", 0.05)
    chunk = b"x" * bodies.SLOWEST_BYTES_PER_SECOND
    assert len(receive(Client(*[chunk] * 10, pause=0.01), 10 * len(chunk))) == 10 * len(chunk)


def test_a_client_that_leaves() -> None:
    with pytest.raises(Disconnected):
        receive(Client(b"half", leaves=True), 8)


def test_no_more_is_stored_than_the_longest_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    """The application refuses such a body by its Content-Length, and the client, which has sent it, reads why."""
    monkeypatch.setattr(bodies, "STORED_BYTES", 10)
    monkeypatch.setattr(bodies, "READ_BYTES", 20)
    assert receive(Client(b"12345678", b"90123", b"45678", b"9012"), 22) == b"12345678"


def test_a_client_that_was_fast_may_not_pause_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads that stop after most of their bytes would keep others out for hours."""
    monkeypatch.setattr(bodies, "EXTRA_SECONDS", 0.05)
    with pytest.raises(BodyRefused) as refusal:
        asyncio.run(asyncio.wait_for(_receive_whole(Client(b"x" * 100 * bodies.SLOWEST_BYTES_PER_SECOND)), 5))
    assert refusal.value.status == 408


async def _receive_whole(client: Client) -> None:
    await BodyReceiver().receive("1000000", False, lambda: client.receive(1_000_000))


def test_short_bodies_do_not_wait_for_uploads_of_others() -> None:
    receiver = BodyReceiver(budget=200_000)
    upload = open_body(Client(b"x" * 200_000), 200_000, receiver)
    assert receive(Client(b"x" * 50, b"y" * 50), 100, receiver) == b"x" * 50 + b"y" * 50
    with pytest.raises(BodyRefused):
        receive(Client(b"x" * 100_000, b"x" * 100_000), 200_000, receiver)
    receiver.release(upload)
    assert len(receive(Client(b"x" * 100_000, b"x" * 100_000), 200_000, receiver)) == 200_000


@pytest.fixture
def everything_in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BYTES_IN_MEMORY", 0)


@pytest.mark.usefixtures("everything_in_files")
def test_bodies_share_a_budget() -> None:
    receiver = BodyReceiver(budget=100)
    first = open_body(Client(b"x" * 50, b"y" * 20), 70, receiver)
    with pytest.raises(BodyRefused) as refusal:
        receive(Client(b"x" * 20, b"y" * 20), 40, receiver)
    assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "30"})
    receiver.release(first)
    assert len(receive(Client(b"x" * 90, b"y" * 10), 100, receiver)) == 100


@pytest.mark.usefixtures("everything_in_files")
def test_a_refused_body_leaves_the_budget_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "EXTRA_SECONDS", 0.05)
    receiver = BodyReceiver(budget=10)
    with pytest.raises(BodyRefused):
        receive(Client(b"12345"), 10, receiver)
    assert receive(Client(b"12345", b"67890"), 10, receiver) == b"1234567890"


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files on a device that is always full."""

    class Full(tempfile.SpooledTemporaryFile):
        def rollover(self) -> None:
            with open("/dev/full", "wb", buffering=0) as full:
                full.write(b"x")

    monkeypatch.setattr(tempfile, "SpooledTemporaryFile", Full)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk() -> None:
    with pytest.raises(BodyRefused) as refusal:
        receive(Client(b"x" * 100_000, b"y" * 100_000), 200_000)
    assert refusal.value.status == 507


def test_without_a_body_nothing_is_read() -> None:
    class Silent(Client):
        async def receive(self, length: int) -> dict[str, Any]:
            raise AssertionError

    assert receive(Silent(), 0) == b""
    assert asyncio.run(BodyReceiver().receive(None, False, lambda: Silent().receive(0)))[0].read() == b""


def test_a_body_in_chunks_has_its_length() -> None:
    client = Client(b"in", b" many", b" pieces")
    body, length = asyncio.run(BodyReceiver().receive(None, True, lambda: client.receive(14)))
    with body:
        assert (body.read(), length) == (b"in many pieces", 14)


@pytest.mark.parametrize(("sent", "closes"), [(19, False), (25, True)])
def test_the_connection_of_a_body_that_is_not_read_to_its_end_is_closed(
    sent: int, closes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client could go on sending for ever."""
    monkeypatch.setattr(bodies, "READ_BYTES", 20)
    messages: list[dict[str, Any]] = []
    client = Client(b"x" * sent, b"x")
    scope = {"type": "http", "method": "POST", "path": "/", "raw_path": b"/", "query_string": b"", "http_version": "1.1"}
    scope |= {"scheme": "http", "server": None, "client": None, "headers": [(b"content-length", b"%d" % sent)]}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    def refuse(environ: Any, start: Any) -> list[bytes]:
        start("413 Content Too Large", [])
        return [b"too large"]

    asyncio.run(WsgiBridge(refuse)(scope, lambda: client.receive(sent), send))
    assert (messages[0]["status"], messages[1]["body"]) == (413, b"too large")
    assert (CLOSE in messages[0]["headers"]) is closes
