"""A WSGI application (PEP 3333) as Granian's RSGI application: the event loop waits for clients, threads answer them."""

import asyncio
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any
from wsgiref.util import FileWrapper

from granian.rsgi import HTTPProtocol, Scope

from .batches import Batches
from .bodies import BodyReceiver, BodyRefused, Disconnected

Environ = dict[str, Any]
Headers = list[tuple[str, str]]
Run = Callable[[Callable[[], Any]], Awaitable[Any]]
WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
AnswerTogether = Callable[[list[Environ]], list[tuple[int, Headers, bytes]]]

#: Requests that one process answers at once; others wait in its event loop.
THREADS = 16

#: Paths that are answered by a thread of their own: a balancer must not take a busy process for a dead one.
HEALTH_CHECKS = {"/healthz", "/readyz"}

#: Headers whose value may be dropped if it is not ASCII; with any other the request is refused, lest it is misunderstood.
_DROPPABLE = {"cookie", "referer", "user-agent"}


class WsgiBridge:
    """Hands each request that has arrived whole to a thread.

    Requests for paths in the application's `messages`, if it has any, are handed together to its `answer_together`.
    """

    def __init__(self, application: WsgiApplication, *, on_start: Callable[[], None] = lambda: None) -> None:
        self._application = application
        self._message_paths = frozenset(getattr(application, "messages", ()))
        self._on_start = on_start
        self._bodies = BodyReceiver()
        self._is_closing = False

    def close_connections(self) -> None:
        """From now on, close each connection with its next answer."""
        self._is_closing = True

    def __rsgi_init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")
        self._health_thread = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._messages = Batches(self._call_together, loop)
        self._on_start()

    def __rsgi_del__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._threads.shutdown()
        self._health_thread.shutdown()
        self._messages.shutdown()

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
        if path in self._message_paths:
            return await self._messages.answer(environ)
        threads = self._health_thread if path in HEALTH_CHECKS else self._threads
        return await self._loop.run_in_executor(threads, self._call, environ)

    def _call_together(self, environs: list[Environ]) -> list["Answer"]:
        answer_together: AnswerTogether = self._application.answer_together  # type: ignore[attr-defined]
        return [WholeAnswer(*each) for each in answer_together(environs)]

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


def request_headers(scope: Scope) -> Environ:
    """Return the headers as CGI variables. Names with underscores are dropped: they could pass for others."""
    found: Environ = {}
    for name, value in scope.headers.items():
        if "_" in name:
            continue
        key = name.upper().replace("-", "_")
        if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = f"HTTP_{key}"
        if key in found:
            found[key] += ("; " if name == "cookie" else ",") + value
        else:
            found[key] = value
    names = scope.headers.keys()
    if len(names) > len(found):
        _refuse_unreadable(scope, names)
    return found


def _refuse_unreadable(scope: Scope, names: list[str]) -> None:
    """Refuse a header that is not ASCII, which Granian leaves out."""
    for name in names:
        if scope.headers.get(name) is None and name not in _DROPPABLE and "_" not in name:
            raise BodyRefused(400, f"The {name} header must be ASCII.")


def environ_of(scope: Scope, headers: Environ, body: IO[bytes]) -> Environ:
    host, _, port = scope.server.rpartition(":")
    return {
        **_ENVIRON,
        "REQUEST_METHOD": scope.method,
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": host,
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": body,
        **headers,
    }


_ENVIRON: Environ = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.file_wrapper": FileWrapper,
}


def _close(result: Iterable[bytes]) -> None:
    if close := getattr(result, "close", None):
        close()
