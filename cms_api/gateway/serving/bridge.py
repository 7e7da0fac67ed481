"""A WSGI application (PEP 3333) as Granian's RSGI application: threads answer requests, the event loop waits for bodies."""

import asyncio
import io
import logging
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from wsgiref.util import FileWrapper

from granian.rsgi import HTTPProtocol, Scope

from .answers import CLOSE, StreamedAnswer, WholeAnswer, close, fail, file_answer, refuse
from .bodies import BodyReceiver, BodyRefused, Disconnected
from .environ import Environ, environ_of, request_headers
from .message_queue import MessageQueue
from .requests import Others, Requests

logger = logging.getLogger(__name__)

WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

#: Requests that one process answers at once; others wait.
THREADS = 16

#: Paths that are each answered by a thread of their own: a balancer must not take a busy process for a dead one.
HEALTH_CHECKS = ("/healthz", "/readyz")


class WsgiBridge:
    """Hands each request that has arrived whole to a thread, which gives the server its answer.

    The event loop receives bodies and sends what takes time to send; requests without a body pass it by. Messages to paths in the
    application's `messages`, if it has any, are handed together to its `answer_messages`. Those that are unusual, such as too
    large, are answered one by one by a thread of their own, so that they do not take those of pages.
    """

    def __init__(
        self, application: WsgiApplication, *, on_start: Callable[[], None] = lambda: None, others: Others | None = None
    ) -> None:
        self._application = application
        self._message_paths = frozenset(getattr(application, "messages", ()))
        self._on_start = on_start
        self._bodies = BodyReceiver()
        self._requests = Requests(others)
        self._sending: set[Future[None]] = set()
        self._is_closing = False

    def close_connections(self) -> None:
        """From now on, close each connection with its next answer."""
        self._is_closing = True
        self._messages.close_connections()

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")
        self._health_threads = {path: ThreadPoolExecutor(1, thread_name_prefix=path[1:]) for path in HEALTH_CHECKS}
        self._message_thread = ThreadPoolExecutor(1, thread_name_prefix="message")
        answer_messages = getattr(self._application, "answer_messages", None)
        self._messages = MessageQueue(self._message_paths, answer_messages, self._requests, loop)
        self._on_start()

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        for threads in (self._threads, *self._health_threads.values(), self._message_thread):
            threads.shutdown()
        self._messages.shutdown()

    def take(self, scope: Scope, protocol: HTTPProtocol) -> bool:
        """Take a request that is a message or has no body; return False for all others. Called by the server's thread."""
        path, headers = scope.path, scope.headers
        if path in self._message_paths:
            return self._messages.take(scope, protocol)
        if "content-length" in headers or "transfer-encoding" in headers:
            return False
        try:
            self._hand_over(path, environ_of(scope, request_headers(scope), io.BytesIO()), protocol)
        except BodyRefused as refusal:
            refuse(protocol, refusal)
        return True

    async def __rsgi__(self, scope: Scope, protocol: HTTPProtocol) -> None:
        try:
            sent = request_headers(scope)
            body = await self._bodies.receive(scope.headers, protocol)
        except BodyRefused as refusal:
            refuse(protocol, refusal)
        except Disconnected:
            protocol.response_empty(400, [CLOSE])
        else:
            self._hand_over(scope.path, environ_of(scope, sent, body), protocol)

    def _hand_over(self, path: str, environ: Environ, protocol: HTTPProtocol) -> None:
        if path in HEALTH_CHECKS:
            self._health_threads[path].submit(self._respond, environ, protocol)
        elif path in self._message_paths:
            self._message_thread.submit(self._respond, environ, protocol)
        else:
            self._requests.begin()
            self._threads.submit(self._respond, environ, protocol, self._requests.end)

    def _respond(self, environ: Environ, protocol: HTTPProtocol, on_end: Callable[[], None] = lambda: None) -> None:
        try:
            try:
                answer = self._call(environ)
            finally:
                on_end()
                self._bodies.release(environ["wsgi.input"])
            if self._is_closing:
                answer.headers.append(CLOSE)
            if isinstance(answer, WholeAnswer):
                answer.give(protocol)
            else:
                sending = asyncio.run_coroutine_threadsafe(self._send(answer, protocol), self._loop)
                # The event loop does not keep it from being collected.
                self._sending.add(sending)
                sending.add_done_callback(self._sending.discard)
        except Exception:
            logger.exception("A request could not be answered.")
            fail(protocol)

    def _call(self, environ: Environ) -> WholeAnswer | StreamedAnswer:
        head: list[Any] = []
        result = self._application(environ, lambda status, headers, *_: head.extend((status, headers)))
        status, headers = int(head[0][:3]), head[1]
        if environ["REQUEST_METHOD"] == "HEAD":
            close(result)
            return WholeAnswer(status, headers, b"")
        if isinstance(result, FileWrapper):
            return file_answer(status, headers, result)
        if getattr(result, "streaming", False):
            return StreamedAnswer(status, headers, result)
        try:
            return WholeAnswer(status, headers, b"".join(result))
        finally:
            close(result)

    async def _send(self, answer: StreamedAnswer, protocol: HTTPProtocol) -> None:
        try:
            await answer.send(protocol, self._run)
        except Exception:
            logger.exception("An answer could not be sent.")

    async def _run(self, work: Callable[[], Any]) -> Any:
        return await self._loop.run_in_executor(self._threads, work)
