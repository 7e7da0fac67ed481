"""Calls with `urllib3` to checked IP addresses, over verified TLS and with one deadline for the whole call."""

import ssl
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from http.client import HTTPResponse
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import certifi
import requests
from django.conf import settings
from urllib3.connection import HTTPSConnection
from urllib3.connectionpool import HTTPSConnectionPool
from urllib3.exceptions import HTTPError, NewConnectionError
from urllib3.exceptions import TimeoutError as LateError
from urllib3.response import BaseHTTPResponse

from cms_api.core.locks import refuse_in_transaction
from cms_api.text.printable import printable

from .addresses import Address, host_of


@dataclass
class _Call:
    """A call: its deadline on the monotonic clock, and how far it has come."""

    ends: float
    has_connected: bool = False
    #: Whether a part of the response has been read.
    has_response: bool = False


#: Responses with a status of 1xx before the one that counts.
MAX_ANNOUNCEMENTS = 20

#: This thread's current call.
_call: ContextVar[_Call] = ContextVar("call")
_contexts = threading.local()
#: The exceptions of a call, from the connection to the last byte of the body.
FAILURES = (OSError, HTTPError, ValueError)


def seconds_until(ends: float) -> float:
    """Return the seconds left until `ends`. Raises TimeoutError if none are."""
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _Socket(ssl.SSLSocket):
    """A socket with an absolute deadline: if data trickles in byte by byte, no single read would ever time out."""

    def recv_into(self, *given: Any, **more: Any) -> int:
        call = _call.get()
        self.settimeout(seconds_until(call.ends))
        count = super().recv_into(*given, **more)
        call.has_response |= count > 0
        return count

    def send(self, *given: Any, **more: Any) -> int:
        self.settimeout(seconds_until(_call.get().ends))
        return super().send(*given, **more)


def tls_context(bundle: str) -> ssl.SSLContext:
    """Return a context that trusts the public CAs and those in a file. Cached, because loading them takes longer than most calls.

    There is one per thread: urllib3 changes a context with every connection, which OpenSSL does not allow between threads.
    """
    cached: dict[str, ssl.SSLContext] = _contexts.__dict__
    if bundle not in cached:
        context = ssl.create_default_context(cafile=certifi.where())
        if bundle:
            context.load_verify_locations(bundle)
        context.sslsocket_class = _Socket
        cached[bundle] = context
    return cached[bundle]


class _FinalResponse(HTTPResponse):
    """A response after those that only announce it, such as 103 Early Hints: `http.client` skips 100 alone."""

    def begin(self) -> None:
        super().begin()
        for _ in range(MAX_ANNOUNCEMENTS):
            if not 100 < self.status < 200 or self.status == HTTPStatus.SWITCHING_PROTOCOLS:
                return
            # `begin` returns at once if there are headers.
            self.headers = self.msg = None  # type: ignore[assignment]
            super().begin()


class _Connection(HTTPSConnection):
    """A connection that may be closed in one thread, and opened again in another."""

    response_class = _FinalResponse

    def connect(self) -> None:
        _call.get().has_connected = True
        self.ssl_context = tls_context(settings.WEBHOOK_CA_BUNDLE)
        super().connect()


class _Pool(HTTPSConnectionPool):
    """Connects to one IP address, whatever the host resolves to by now; the certificate must match the host."""

    ConnectionCls = _Connection

    def __init__(self, host: str, port: int, address: Address) -> None:
        super().__init__(str(address), port, maxsize=1, server_hostname=host.removesuffix("."))
        self.goes_to = (host, port, address)


class PinnedConnection:
    """A connection that stays open between calls, as long as its IP address is among those just checked for the next call."""

    def __init__(self) -> None:
        self._pool: _Pool | None = None

    @contextmanager
    def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        addresses: Sequence[Address],
        ends: float,
        body: bytes | None = None,
    ) -> Iterator[BaseHTTPResponse]:
        """Return the response's head; the body can be read until the deadline. Redirects are not followed.

        The URL is one that `check_url` accepts, and each of the addresses has been checked for this call. Receivers close idle
        connections without notice, so a request that gets nothing of a response on a reused connection is sent once more on a
        new one.
        """
        refuse_in_transaction("A request to another host")
        parts = urlsplit(url)
        host, port = host_of(parts), parts.port or 443
        call = _Call(ends)
        token = _call.set(call)
        try:
            pool = self._to(host, port, addresses)
            try:
                response = _send(pool, method, url, headers, body, ends)
            except (HTTPError, OSError):
                if call.has_connected or call.has_response:
                    raise
                self.close()
                response = _send(self._to(host, port, addresses), method, url, headers, body, ends)
            with response:
                yield response
        finally:
            _call.reset(token)

    @property
    def is_open(self) -> bool:
        return self._pool is not None

    def _to(self, host: str, port: int, addresses: Sequence[Address]) -> _Pool:
        pool = self._pool
        if pool is None or pool.goes_to[:2] != (host, port) or pool.goes_to[2] not in addresses:
            self.close()
            pool = self._pool = _Pool(host, port, addresses[0])
        return pool

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def __enter__(self) -> "PinnedConnection":
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _send(pool: _Pool, method: str, url: str, headers: Mapping[str, str], body: bytes | None, ends: float) -> BaseHTTPResponse:
    host, path = _target(url)
    return pool.urlopen(
        method,
        path,
        body,
        {**headers, "Host": host},
        retries=False,
        redirect=False,
        assert_same_host=False,
        timeout=seconds_until(ends),
        preload_content=False,
        decode_content=False,
    )


@lru_cache(maxsize=256)
def _target(url: str) -> tuple[str, str]:
    """Return the Host header and the path with the query for a URL, encoded as `requests` does."""
    made = requests.PreparedRequest()
    made.prepare_url(url, None)
    return urlsplit(str(made.url)).netloc, str(made.path_url)


def failure(problem: BaseException, seconds: float) -> str:
    """Return the sentence about a call that has raised one of FAILURES; `seconds` is the time that the whole call had.

    A server whose answer is not HTTP is quoted by libraries, whatever bytes it has sent.
    """
    cause = _cause(problem)
    # A refused connection is one of urllib3's timeouts too.
    if isinstance(cause, TimeoutError | LateError) and not isinstance(cause, NewConnectionError):
        return f"No complete response within {seconds:g} seconds."
    # Without the object addresses that libraries put into it.
    return f"The request failed: {printable(str(cause).rpartition('>: ')[2]) or type(cause).__name__}"


def _cause(problem: BaseException) -> BaseException:
    """Return the exception that libraries have wrapped in their own."""
    inner = [each for each in (getattr(problem, "reason", None), *problem.args) if isinstance(each, BaseException)]
    return _cause(inner[0]) if inner else problem
