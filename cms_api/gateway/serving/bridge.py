"""A WSGI application (PEP 3333) as Granian's RSGI application: the event loop waits for clients, threads answer them."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import IO, Any
from wsgiref.util import FileWrapper

from granian.rsgi import HTTPProtocol, Scope

from .bodies import BodyReceiver, BodyRefused, Disconnected
from .environ import Environ, environ_of, request_headers
from .message_queue import Headers, MessageQueue
from .requests import Others, Requests

Run = Callable[[Callable[[], Any]], Awaitable[Any]]
WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

#: Requests that one process answers at once; others wait in its event loop.
THREADS = 16

#: Paths that are answered by a thread of their own: a balancer must not take a busy process for a dead one.
HEALTH_CHECKS = {"/healthz", "/readyz"}


class WsgiBridge:
    """Hands each request that has arrived whole to a thread.

    Messages to paths in the application's `messages`, if it has any, are handed together to its `answer_messages`. Those that are
    unusual, such as too large, are answered one by one by a thread of their own, so that they do not take those of pages.
    """

    def __init__(
        self, application: WsgiApplication, *, on_start: Callable[[], None] = lambda: None, others: Others | None = None
    ) -> None:
        self._application = application
        self._message_paths = frozenset(getattr(application, "messages", ()))
        self._on_start = on_start
        self._bodies = BodyReceiver()
        self._requests = Requests(others)
        self._is_closing = False

    def close_connections(self) -> None:
        """From now on, close each connection with its next answer."""
        self._is_closing = True
        self._messages.close_connections()

    def take(self, scope: Scope, protocol: HTTPProtocol) -> bool:
        """Take a request that is a message; return False for all others. Called by the server's thread."""
        return self._messages.take(scope, protocol)

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")
        self._health_thread = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._message_thread = ThreadPoolExecutor(1, thread_name_prefix="message")
        answer_messages = getattr(self._application, "answer_messages", None)
        self._messages = MessageQueue(self._message_paths, answer_messages, self._requests, loop)
        self._on_start()

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        for threads in (self._threads, self._health_thread, self._message_thread, self._messages):
            threads.shutdown()

    async def __rsgi__(self, scope: Scope, protocol: HTTPProtocol) -> None:
        try:
            sent = request_headers(scope)
            body = await self._bodies.receive(scope.headers, protocol)
        except BodyRefused as refusal:
            headers = [("content-type", "application/json"), ("connection", "close"), *refusal.headers.items()]
            protocol.response_bytes(refusal.status, headers, json.dumps({"message": refusal.message}).encode())
            return
        except Disconnected:
            protocol.response_empty(400, [("connection", "close")])
            return
        try:
            answer = await self._answer(scope.path, environ_of(scope, sent, body))
        finally:
            self._bodies.release(body)
        if self._is_closing:
            answer.headers.append(("connection", "close"))
        await answer.send(protocol, self._run)

    async def _answer(self, path: str, environ: Environ) -> "Answer":
        if path in HEALTH_CHECKS:
            return await self._run_in(self._health_thread, environ)
        if path in self._message_paths:
            return await self._run_in(self._message_thread, environ)
        self._requests.begin()
        try:
            return await self._run_in(self._threads, environ)
        finally:
            self._requests.end()

    async def _run_in(self, threads: Executor, environ: Environ) -> "Answer":
        return await self._loop.run_in_executor(threads, self._call, environ)

    def _call(self, environ: Environ) -> "Answer":
        head: list[Any] = []
        result = self._application(environ, lambda status, headers, *_: head.extend((status, headers)))
        status, headers = int(head[0][:3]), head[1]
        if isinstance(result, FileWrapper):
            return FileAnswer(status, headers, result)
        if getattr(result, "streaming", False):
            return StreamedAnswer(status, headers, result)
        try:
            return WholeAnswer(status, headers, b"".join(result))
        finally:
            _close(result)

    async def _run(self, work: Callable[[], Any]) -> Any:
        return await self._loop.run_in_executor(self._threads, work)


class Answer(ABC):
    """The application's answer; `send` gives it to the server, and `run` runs what takes time in a thread."""

    def __init__(self, status: int, headers: Headers) -> None:
        self.status, self.headers = status, headers

    @abstractmethod
    async def send(self, protocol: HTTPProtocol, run: Run) -> None: ...


class WholeAnswer(Answer):
    """An answer that is complete in memory: the server sends it as fast as the client reads."""

    def __init__(self, status: int, headers: Headers, body: bytes) -> None:
        super().__init__(status, headers)
        self.body = body

    async def send(self, protocol: HTTPProtocol, run: Run) -> None:
        protocol.response_bytes(self.status, self.headers, self.body)


class StreamedAnswer(Answer):
    """An answer whose parts are made while it is sent: a thread makes each part, and none is kept while the client reads."""

    def __init__(self, status: int, headers: Headers, parts: Iterable[bytes]) -> None:
        super().__init__(status, headers)
        self.parts = parts

    async def send(self, protocol: HTTPProtocol, run: Run) -> None:
        iterator = iter(self.parts)
        try:
            transport = protocol.response_stream(self.status, self.headers)
            while (part := await run(lambda: next(iterator, None))) is not None:
                await transport.send_bytes(part)
        finally:
            await run(lambda: _close(self.parts))


class FileAnswer(StreamedAnswer):
    """A part of a file: read by the server if it is on the disk, else by a thread."""

    def __init__(self, status: int, headers: Headers, wrapper: FileWrapper) -> None:
        super().__init__(status, headers, wrapper)
        self.file: IO[bytes] = wrapper.filelike

    async def send(self, protocol: HTTPProtocol, run: Run) -> None:
        length = next((int(value) for name, value in self.headers if name.lower() == "content-length"), 0)
        path = getattr(self.file, "name", None)
        if not isinstance(path, str) or not length:
            await super().send(protocol, run)
            return
        start = self.file.tell()
        protocol.response_file_range(self.status, self.headers, path, start, start + length)
        await run(lambda: _close(self.parts))


def _close(result: Iterable[bytes]) -> None:
    if close := getattr(result, "close", None):
        close()
