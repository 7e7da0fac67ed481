"""Receives request bodies in the event loop: a thread is only taken by a request that has arrived whole."""

import asyncio
import errno
import io
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import IO, Any

#: Seconds by which a client may fall behind the slowest rate, in bytes per second. Having been faster earns no longer pause.
EXTRA_SECONDS = 30.0
SLOWEST_BYTES_PER_SECOND = 8 * 1024
#: Bodies up to this many bytes stay in memory; larger ones are written to a temporary file.
BYTES_IN_MEMORY = 128 * 1024
#: Bytes of one body that are stored; the application refuses longer ones by their length, and the rest is discarded.
STORED_BYTES = 101 * 1024 * 1024
#: Bytes that are read of a body at all, so that a client that sends too much still sees why it was refused.
READ_BYTES = 2 * STORED_BYTES
#: Bytes of unfinished and unanswered bodies that one process stores in files. Short bodies never wait for those of others.
ALL_STORED_BYTES = 2 * 1024 * 1024 * 1024

Receive = Callable[[], Awaitable[dict[str, Any]]]


class BodyRefused(Exception):
    """A body that is not received: the status and the message of the answer."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


class Disconnected(Exception):
    """The client has closed the connection."""


class BodyReceiver:
    """Receives the bodies of one process, within its budget of stored bytes."""

    def __init__(self, budget: int = ALL_STORED_BYTES) -> None:
        self._budget, self._lock = budget, threading.Lock()

    async def receive(self, content_length: str | None, is_chunked: bool, receive: Receive) -> tuple[IO[bytes], int]:
        """Return the body as a file at its start, and how many bytes the client has sent. `release` ends its use.

        Raises BodyRefused or Disconnected. `receive` is that of ASGI.
        """
        if not is_chunked and not int(content_length or 0):
            return io.BytesIO(), 0
        received, ends_at = 0, time.monotonic() + EXTRA_SECONDS
        body = tempfile.SpooledTemporaryFile(BYTES_IN_MEMORY)  # noqa: SIM115
        try:
            more = True
            while more and received < READ_BYTES:
                chunk, more = await _next(receive, ends_at - time.monotonic())
                received += len(chunk)
                ends_at = min(ends_at + len(chunk) / SLOWEST_BYTES_PER_SECOND, time.monotonic() + EXTRA_SECONDS)
                self._store(body, chunk)
        except BaseException:
            self.release(body)
            raise
        body.seek(0)
        return body, received

    def release(self, body: IO[bytes]) -> None:
        """Close the body and return its bytes to the budget, in any thread."""
        if isinstance(body, tempfile.SpooledTemporaryFile) and not body.closed:
            length = body.seek(0, io.SEEK_END)
            with self._lock:
                self._budget += _bytes_in_file(length)
        body.close()

    def _store(self, body: IO[bytes], chunk: bytes) -> None:
        stored = body.tell()
        if stored + len(chunk) > STORED_BYTES:
            return
        cost = _bytes_in_file(stored + len(chunk)) - _bytes_in_file(stored)
        if cost > self._budget:
            raise BodyRefused(503, "The server is receiving too many files. Please try again later.", {"Retry-After": "30"})
        try:
            body.write(chunk)
        except OSError as problem:
            if problem.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise BodyRefused(507, "The server has no space left for this request.", {"Retry-After": "60"}) from problem
        with self._lock:
            self._budget -= cost


def _bytes_in_file(length: int) -> int:
    """Return how many bytes of a body are stored in a file."""
    return length if length > BYTES_IN_MEMORY else 0


async def _next(receive: Receive, seconds: float) -> tuple[bytes, bool]:
    """Return the next bytes of a body, and whether there are more."""
    try:
        async with asyncio.timeout(seconds):
            message = await receive()
    except TimeoutError:
        raise BodyRefused(408, "The request body did not arrive in time.") from None
    if message["type"] == "http.disconnect":
        raise Disconnected
    return message.get("body", b""), message.get("more_body", False)
