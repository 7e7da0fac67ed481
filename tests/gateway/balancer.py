"""A small HTTP balancer, which chooses another host in the same cases as nginx does by default."""

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from socketserver import BaseRequestHandler, ThreadingTCPServer

#: Requests that may be sent to a second host if the first one closes the connection without an answer.
IDEMPOTENT = {b"GET", b"HEAD", b"PUT", b"DELETE", b"OPTIONS"}
#: Seconds in which a host that refused a connection is left out, unless there is no other.
LEFT_OUT = 1.0
PATIENCE = 60.0
BAD_GATEWAY = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Balancer(ThreadingTCPServer):
    """Sends each request to the next host, on a connection of its own."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, ports: Sequence[int]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port: int = self.server_address[1]
        self.ports = list(ports)
        #: Whether another host is tried when one fails.
        self.tries_others = True
        #: How often another host was tried.
        self.retries = 0
        self._turn = count()
        self._left_out: dict[int, float] = {}

    def answer(self, sent: bytes) -> bytes:
        method = sent.partition(b" ")[0]
        for port in self._order():
            try:
                connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
            except OSError:
                self._left_out[port] = time.monotonic() + LEFT_OUT
                if not self.tries_others:
                    break
                self.retries += 1
                continue
            received = _exchange(connection, sent)
            if received or not self.tries_others or method not in IDEMPOTENT:
                return received or BAD_GATEWAY
            self.retries += 1
        return BAD_GATEWAY

    def _order(self) -> list[int]:
        turn, now = next(self._turn) % len(self.ports), time.monotonic()
        rotated = self.ports[turn:] + self.ports[:turn]
        return sorted(rotated, key=lambda port: self.tries_others and self._left_out.get(port, 0) > now)


class _Handler(BaseRequestHandler):
    server: Balancer

    def handle(self) -> None:
        with suppress(OSError):
            if sent := _read_request(self.request):
                self.request.sendall(self.server.answer(sent))


def _exchange(connection: socket.socket, sent: bytes) -> bytes:
    """Send a request and return everything that comes back."""
    received = b""
    with connection, suppress(OSError):
        connection.sendall(sent)
        while chunk := connection.recv(65536):
            received += chunk
    return received


def _read_request(connection: socket.socket) -> bytes:
    """Read a request whole; return it as one that asks to close its connection."""
    raw = b""
    while b"\r\n\r\n" not in raw:
        if not (chunk := connection.recv(65536)):
            return b""
        raw += chunk
    head, _, body = raw.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
    lengths = [int(line.partition(b":")[2]) for line in lines if line.lower().startswith(b"content-length:")]
    while len(body) < sum(lengths):
        if not (chunk := connection.recv(65536)):
            return b""
        body += chunk
    return b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n" + body


@contextmanager
def balancing(ports: Sequence[int]) -> Iterator[Balancer]:
    with Balancer(ports) as balancer:
        thread = threading.Thread(target=balancer.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield balancer
        finally:
            balancer.shutdown()
            thread.join()
