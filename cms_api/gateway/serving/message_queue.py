"""Messages of pages' scripts, answered many at a time, and while no page is rendered: nobody waits for their answers."""

import asyncio
import io
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from granian.rsgi import HTTPProtocol, Scope

from cms_api.http.page_messages import LARGEST

from .answers import CLOSE, JSON, Headers, fail, refuse
from .bodies import PATIENCE, BodyRefused
from .environ import Environ, environ_of, peer_of, request_headers
from .requests import Requests

logger = logging.getLogger(__name__)

#: Seconds in which messages are gathered: the more are answered together, the less each of them costs.
GATHER = 0.004
#: Messages of one batch. Before each, pages may go first.
MOST = 32
#: Seconds between two batches, in which a page can begin, and those that messages wait for pages at most.
CHANCE, LONGEST_WAIT = 0.00005, 0.1
#: Seconds from the beginning of a page in which no message is read, as that would interrupt it. All requests behind it wait, too.
#: Most pages take less, even on a slow processor.
UNDISTURBED = 0.03
#: Messages that wait in one process. More are refused before they are read.
CAPACITY = 4_000
_BUSY = json.dumps({"message": "The server is busy. Please try again later."}).encode()


class Message:
    """A message that has arrived whole, as the application reads it."""

    __slots__ = ("body", "headers", "path", "protocol", "scope")

    def __init__(self, scope: Scope, protocol: HTTPProtocol, path: str, body: bytes) -> None:
        self.scope, self.protocol, self.path, self.body = scope, protocol, path, body
        sent = scope.headers
        pairs = sent.items()
        found = dict(pairs)
        #: By name; None if some were sent twice, or cannot be read.
        self.headers = found if len(found) == len(pairs) == len(sent.keys()) else None

    @property
    def scheme(self) -> str:
        return self.scope.scheme

    @property
    def peer(self) -> str:
        return peer_of(self.scope)

    def environ(self) -> Environ:
        """Return the environment of a WSGI request. Raises BodyRefused if a header cannot be read."""
        return environ_of(self.scope, request_headers(self.scope), io.BytesIO(self.body))


@dataclass(frozen=True, slots=True)
class _Arriving:
    """A message whose headers have arrived."""

    at: float
    scope: Scope
    protocol: HTTPProtocol
    path: str
    #: A future of the body.
    body: Any


AnswerMessages = Callable[[Sequence[Message]], list[tuple[int, Headers, bytes]]]


def _none(messages: Sequence[Message]) -> list[tuple[int, Headers, bytes]]:
    raise NotImplementedError("The application has no messages.")


class MessageQueue:
    """Answers messages for some paths by a thread of its own. `requests` are those that go first."""

    def __init__(
        self,
        paths: Collection[str],
        answer_messages: AnswerMessages | None,
        requests: Requests,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._paths, self._requests, self._loop = frozenset(paths), requests, loop
        self._answer_messages = answer_messages or _none
        self._waiting: deque[_Arriving] = deque()
        self._arrived = threading.Event()
        self._unfinished: set[asyncio.Task[None]] = set()
        self._is_closing = self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="messages", daemon=True)
        self._thread.start()

    def close_connections(self) -> None:
        """From now on, close each connection with its next answer."""
        self._is_closing = True

    def shutdown(self) -> None:
        """Answer the messages that have arrived, and end."""
        self._is_stopping = True
        self._arrived.set()
        self._thread.join()

    def take(self, scope: Scope, protocol: HTTPProtocol) -> bool:
        """Take a request if it is a message; return False for all others. Called by the server's thread: all others wait."""
        path = scope.path
        if path not in self._paths or scope.method != "POST":
            return False
        self._requests.let_begin(UNDISTURBED)
        headers = scope.headers
        length = headers.get("content-length") or ""
        if not (length.isdecimal() and len(length) < 5 and 0 < int(length) <= LARGEST) or "transfer-encoding" in headers:
            return False
        if len(self._waiting) >= CAPACITY:
            protocol.response_bytes(503, [JSON, ("retry-after", "30")], _BUSY)
            return True
        self._waiting.append(_Arriving(time.monotonic(), scope, protocol, path, protocol()))
        if not self._arrived.is_set():
            self._arrived.set()
        return True

    def _run(self) -> None:
        while not self._is_stopping:
            self._arrived.wait()
            time.sleep(GATHER)
            self._arrived.clear()
            while self._waiting:
                self._requests.wait_for_none(self._waiting[0].at + LONGEST_WAIT - time.monotonic())
                self._answer([self._waiting.popleft() for _ in range(min(len(self._waiting), MOST))])
                time.sleep(CHANCE)

    def _answer(self, batch: list[_Arriving]) -> None:
        try:
            messages = list(filter(None, map(self._message_of, batch)))
            if not messages:
                return
            for message, answer in zip(messages, self._answer_messages(messages), strict=True):
                self._send(message.protocol, *answer)
        except Exception:
            logger.exception("Messages could not be answered.")
            for each in batch:
                # Those that have an answer ignore a second one.
                if each.body.done():
                    fail(each.protocol)

    def _message_of(self, arriving: _Arriving) -> Message | None:
        """Return a message that has arrived whole and can be read."""
        if not arriving.body.done():
            self._loop.call_soon_threadsafe(self._wait_for_body, arriving)
            return None
        try:
            message = Message(arriving.scope, arriving.protocol, arriving.path, arriving.body.result())
            if message.headers is None:
                message.environ()
        except BodyRefused as refusal:
            refuse(arriving.protocol, refusal)
            return None
        except Exception:
            # The client has gone away, and the body is not whole.
            arriving.protocol.response_empty(400, [CLOSE])
            return None
        return message

    def _send(self, protocol: HTTPProtocol, status: int, headers: Headers, body: bytes) -> None:
        if self._is_closing:
            headers = [*headers, CLOSE]
        if body:
            protocol.response_bytes(status, headers, body)
        else:
            protocol.response_empty(status, headers)

    def _wait_for_body(self, arriving: _Arriving) -> None:
        task = self._loop.create_task(self._finish(arriving))
        self._unfinished.add(task)
        task.add_done_callback(self._unfinished.discard)

    async def _finish(self, arriving: _Arriving) -> None:
        """Put a message back when its body has arrived."""
        try:
            async with asyncio.timeout(PATIENCE):
                # If the body is not whole, that is seen when it is read.
                with suppress(RuntimeError):
                    await arriving.body
        except TimeoutError:
            refuse(arriving.protocol, BodyRefused(408, "The request body did not arrive in time."))
            return
        self._waiting.append(arriving)
        self._arrived.set()
