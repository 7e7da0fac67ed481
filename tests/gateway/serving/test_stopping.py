"""A web process that is asked to stop: what clients had sent before it closed its socket is answered."""

import asyncio
import socket
from collections.abc import Callable, Iterable
from typing import Any

import uvloop

from cms_api.gateway.serving.listener import listen
from cms_api.gateway.serving.server import Server
from tests.serving import PATIENCE

from .conftest import read_to_end, read_until

REQUEST = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"


def answer(_: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]


def ask(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    connection.sendall(REQUEST)
    return connection


async def stop_a_busy_server() -> list[bytes]:
    """Return what clients receive whose connections and requests arrive right before the socket is closed."""
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    ready = asyncio.Event()
    server = Server(listener, answer, ready.set)
    serving = asyncio.create_task(server.serve([listener]))
    await ready.wait()
    former = await asyncio.to_thread(ask, port)
    await asyncio.to_thread(read_until, former, b"ok")
    # The event loop does nothing else from here until the socket is closed.
    former.sendall(REQUEST)
    waiting = [ask(port) for _ in range(20)]
    server.should_exit = True
    await server.on_tick(1)
    received = [await asyncio.to_thread(read_to_end, each) for each in (former, *waiting)]
    await serving
    for each in (former, *waiting):
        each.close()
    return received


def test_what_waits_is_answered() -> None:
    """A connection that was open before, and those that the kernel has accepted."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        received = runner.run(stop_a_busy_server())
    assert len(received) == 21
    for each in received:
        assert each.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"\r\nconnection: close\r\n" in each
        assert each.endswith(b"\r\n\r\nok")
