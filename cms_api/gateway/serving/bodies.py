"""Receives request bodies in the event loop: a thread is only taken by a request that has arrived whole."""

import asyncio
import errno
import io
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Mapping
from typing import IO, Any, Protocol

#: Seconds a client may take in addition to those that its bytes take at the slowest rate, in bytes per second.
PATIENCE = 30.0
SLOWEST_RATE = 8 * 1024
#: Bodies up to this many bytes stay in memory; larger ones are written to a temporary file.
IN_MEMORY = 128 * 1024
#: Bytes of one body that are stored; the application refuses longer ones by their Content-Length, and the rest is discarded.
STORED = 101 * 1024 * 1024
#: Bytes that are read of a body at all, so that a client that sends too much still sees why it was refused.
READ = 2 * STORED
#: Bytes of unfinished and unanswered bodies that one process stores.
ALL_STORED = 2 * 1024 * 1024 * 1024


class BodyRefused(Exception):
    """A body that is not received: the status and the message of the answer."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


class Disconnected(Exception):
    """The client has closed the connection."""


class SentHeaders(Protocol):
    """Headers of a request, by lower-case name."""

    def get(self, key: str, default: Any = None) -> Any: ...

    def __contains__(self, key: str) -> bool: ...


class Stream(Protocol):
    """Iterates over the chunks of a body; a chunk is empty at the end and after an error."""

    def __aiter__(self) -> Any: ...


class BodyReceiver:
    """Receives the bodies of one process, within its budget of stored bytes."""

    def __init__(self, budget: int = ALL_STORED) -> None:
        self._budget, self._lock = budget, threading.Lock()

    async def receive(self, headers: SentHeaders, stream: Stream) -> IO[bytes]:
        """Return the body as a file at its start, or raise BodyRefused or Disconnected. `release` ends its use."""
        length = _declared_length(headers)
        if not length:
            return io.BytesIO()
        started = time.monotonic()
        chunks = stream.__aiter__()
        chunk = await _next(chunks, PATIENCE)
        if len(chunk) == length:
            return io.BytesIO(chunk)
        body = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        try:
            received = 0
            while True:
                if not chunk:
                    raise Disconnected
                received += len(chunk)
                self._store(body, chunk)
                if received >= min(length, READ):
                    break
                chunk = await _next(chunks, PATIENCE + received / SLOWEST_RATE - (time.monotonic() - started))
        except BaseException:
            self.release(body)
            raise
        body.seek(0)
        return body

    def release(self, body: IO[bytes]) -> None:
        """Close the body and return its bytes to the budget, in any thread."""
        if isinstance(body, tempfile.SpooledTemporaryFile) and not body.closed:
            length = body.seek(0, io.SEEK_END)
            with self._lock:
                self._budget += length
        body.close()

    def _store(self, body: IO[bytes], chunk: bytes) -> None:
        if body.tell() + len(chunk) > STORED:
            return
        if len(chunk) > self._budget:
            raise BodyRefused(503, "The server is receiving too many files. Please try again later.", {"retry-after": "30"})
        try:
            body.write(chunk)
        except OSError as problem:
            if problem.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise BodyRefused(507, "The server has no space left for this request.", {"retry-after": "60"}) from problem
        with self._lock:
            self._budget -= len(chunk)


def _declared_length(headers: SentHeaders) -> int:
    """Return the Content-Length; without one nothing is read, because a broken connection would look like the end of the body."""
    length = headers.get("content-length")
    if length is None:
        if "transfer-encoding" in headers:
            raise BodyRefused(411, "A request with a body needs a Content-Length.")
        return 0
    return int(length)


async def _next(chunks: AsyncIterator[bytes], patience: float) -> bytes:
    try:
        async with asyncio.timeout(patience):
            return await chunks.__anext__()
    except TimeoutError:
        raise BodyRefused(408, "The request body did not arrive in time.") from None
    except StopAsyncIteration:
        return b""
