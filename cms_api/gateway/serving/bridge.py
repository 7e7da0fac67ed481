"""A WSGI application (PEP 3333) as an ASGI application: the event loop receives requests whole, and threads answer them."""

import asyncio
import json
import logging
import math
import secrets
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any
from urllib.parse import unquote_to_bytes
from wsgiref.util import FileWrapper

from . import bodies
from .bodies import BodyReceiver, BodyRefused, Disconnected
from .policy import JSON_ANSWER

logger = logging.getLogger(__name__)

Environ = dict[str, Any]
WsgiApplication = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

#: Requests that one process answers at once; others wait.
THREADS = 16
#: Paths that are each answered by a thread of their own: a balancer must not take a busy process for a dead one.
HEALTH_CHECKS = ("/healthz", "/readyz")
#: Bytes of a file that are read, and kept for a client, at once.
CHUNK_BYTES = 256 * 1024

#: Statuses of answers that have no body.
WITHOUT_BODY = (204, 304)

CLOSE = (b"connection", b"close")


class WsgiBridge:
    """Hands each request that has arrived whole to a thread, and sends its answer as fast as the client reads."""

    def __init__(self, application: WsgiApplication) -> None:
        self._application = application
        self._bodies = BodyReceiver()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="request")
        self._health_threads = {path: ThreadPoolExecutor(1, thread_name_prefix=path[1:]) for path in HEALTH_CHECKS}
        #: From now on, each connection is closed with its next answer.
        self.is_closing = False

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        environ = environ_of(scope)
        try:
            body, length = await self._bodies.receive(environ.get("CONTENT_LENGTH"), "HTTP_TRANSFER_ENCODING" in environ, receive)
        except BodyRefused as refusal:
            await self._send_whole(send, *own_answer(refusal.status, str(refusal), refusal.headers))
            return
        except Disconnected:
            return
        if "HTTP_TRANSFER_ENCODING" in environ:
            environ["CONTENT_LENGTH"] = str(length)
        environ["wsgi.input"] = body
        loop = asyncio.get_running_loop()
        threads = self._health_threads.get(scope["path"], self._threads)
        status, headers, answer = await loop.run_in_executor(threads, self._answer, environ, body)
        if length >= bodies.READ_BYTES:
            # The rest of the body is not read.
            headers = [*headers, CLOSE]
        if isinstance(answer, bytes):
            await self._send_whole(send, status, headers, answer)
            return
        await send({"type": "http.response.start", "status": status, "headers": self._final(headers)})
        parts, gone = iter(answer), asyncio.ensure_future(_wait_for_disconnect(receive))
        try:
            while not gone.done() and (part := await loop.run_in_executor(threads, next, parts, None)) is not None:
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body"})
        finally:
            gone.cancel()
            await loop.run_in_executor(threads, close, answer)

    def _answer(self, environ: Environ, body: IO[bytes]) -> tuple[int, Headers, bytes | Iterable[bytes]]:
        """Return the status, the headers, and the body or what makes its parts."""
        try:
            return self._ask(environ)
        except Exception:
            logger.exception("A request could not be answered.")
            return own_answer(500, "Server Error")
        finally:
            self._bodies.release(body)

    def _ask(self, environ: Environ) -> tuple[int, Headers, bytes | Iterable[bytes]]:
        head: list[Any] = []
        result = self._application(environ, lambda status, headers, *_: head.extend((status, headers)))
        status, pairs = int(head[0][:3]), head[1]
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in pairs]
        if status in WITHOUT_BODY:
            # The length of an unchanged page is that of the page: uvicorn would expect as many bytes.
            headers = [header for header in headers if header[0].lower() != b"content-length"]
        if environ["REQUEST_METHOD"] == "HEAD" or status in WITHOUT_BODY:
            close(result)
            return status, headers, b""
        length = next((int(value) for name, value in pairs if name.lower() == "content-length"), None)
        if isinstance(result, FileWrapper):
            is_small, result = length is not None and length <= CHUNK_BYTES, FilePieces(result, length)
        else:
            is_small = not getattr(result, "streaming", False)
        # Without a length, a client of HTTP/1.0 would not see where the answer ends.
        if not is_small and (length is not None or environ["SERVER_PROTOCOL"] != "HTTP/1.0"):
            return status, headers, result
        try:
            return status, headers, b"".join(result)
        finally:
            close(result)

    async def _send_whole(self, send: Send, status: int, headers: Headers, body: bytes) -> None:
        if not any(name.lower() == b"content-length" for name, _ in headers) and status not in WITHOUT_BODY:
            headers = [*headers, (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": self._final(headers)})
        await send({"type": "http.response.body", "body": body})

    def _final(self, headers: Headers) -> Headers:
        return [*headers, CLOSE] if self.is_closing else headers


class FilePieces:
    """A file that the application returned, read a piece at a time, and never beyond the `Content-Length` of its answer."""

    def __init__(self, wrapper: FileWrapper, length: int | None) -> None:
        self._wrapper = wrapper
        self._left = math.inf if length is None else length

    def __iter__(self) -> Iterator[bytes]:
        while self._left and (piece := self._wrapper.filelike.read(int(min(CHUNK_BYTES, self._left)))):
            self._left -= len(piece)
            yield piece

    def close(self) -> None:
        close(self._wrapper)


def environ_of(scope: Mapping[str, Any]) -> Environ:
    """Return the environment of a WSGI request, without its body. Headers with underscores could pass for others: left out."""
    host, port = scope["server"] or ("", 0)
    environ = {
        **_ENVIRON,
        "REQUEST_METHOD": scope["method"],
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": scope["client"][0] if scope["client"] else "",
        "wsgi.url_scheme": scope["scheme"],
    }
    for name, value in scope["headers"]:
        if b"_" in name:
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = f"HTTP_{key}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]}{'; ' if name == b'cookie' else ','}{text}" if key in environ else text
    return environ


_ENVIRON: Environ = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.file_wrapper": FileWrapper,
}


async def _wait_for_disconnect(receive: Receive) -> None:
    """Return when the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def own_answer(status: int, message: str, headers: Mapping[str, str] | None = None) -> tuple[int, Headers, bytes]:
    """Return an answer that the application has not made; the connection is closed after it, unless it is a 500."""
    body = json.dumps({"message": message}).encode()
    found = {"Content-Type": "application/json", "Content-Length": str(len(body)), **JSON_ANSWER, "Cache-Control": "no-store"}
    found |= {"X-Request-Id": secrets.token_hex(12), **(headers or {}), **({} if status == 500 else {"Connection": "close"})}
    return status, [(name.lower().encode(), value.encode()) for name, value in found.items()], body


def close(result: Iterable[bytes]) -> None:
    """Close what the application returned, if that can be closed."""
    if end := getattr(result, "close", None):
        end()
