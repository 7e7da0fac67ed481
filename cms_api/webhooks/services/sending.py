"""One call to a receiver: to an address that was checked, over verified TLS, within a deadline for all of it."""

import json
import socket
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import certifi
import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPSConnection
from urllib3.connectionpool import HTTPSConnectionPool
from urllib3.exceptions import HTTPError

from ..models import Delivery, Endpoint
from ..selectors import signing_secrets
from ..types import KEPT_ANSWER, READ_ANSWER, hex_signature, is_allowed, retry_after_seconds, standard_signature
from .endpoints import resolve

AGENT = "Site-Webhooks/1.0"


@dataclass(frozen=True)
class Outcome:
    """What came of a call. `code` is None where there was no answer; `error` says why, in words a person can act on."""

    code: int | None
    answer: str
    error: str
    duration_ms: int
    retry_after: float | None = None

    @property
    def succeeded(self) -> bool:
        return self.code is not None and 200 <= self.code < 300 and not self.error


def message(delivery: Delivery) -> bytes:
    """The body, the same bytes at every attempt."""
    event = delivery.event
    head = {
        "event": event.kind,
        "delivery_id": delivery.pk,
        "timestamp": event.occurred_at.replace(microsecond=0).isoformat(),
    }
    return json.dumps(head, separators=(",", ":"))[:-1].encode() + b',"data":' + bytes(event.payload) + b"}"


def headers(*, endpoint: Endpoint, kind: str, delivery_id: int, body: bytes, now: datetime) -> dict[str, str]:
    """Both families of signature headers: the service's own, and those of Standard Webhooks."""
    prefix = settings.SIGNATURE_HEADER_PREFIX
    identity, timestamp = f"msg_{delivery_id}", int(now.timestamp())
    return {
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        f"{prefix}-Signature": hex_signature(endpoint.secret, body),
        f"{prefix}-Event": kind,
        f"{prefix}-Delivery": str(delivery_id),
        "webhook-id": identity,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": standard_signature(signing_secrets(endpoint, now), identity, timestamp, body),
    }


def post(url: str, body: bytes, sent: dict[str, str], now: datetime) -> Outcome:
    """Sends a body. Nothing is raised: whatever goes wrong is an outcome. Redirects are failures, and are not followed."""
    started = time.monotonic()

    def since() -> int:
        return int((time.monotonic() - started) * 1000)

    try:
        address = _checked_address(url)
    except (OSError, ValueError) as problem:
        return Outcome(None, "", f"The host could not be found: {problem}"[:500], since())
    if address is None:
        return Outcome(None, "", "The host leads to a private or reserved address.", since())
    pinned = _PinnedAdapter(address, settings.WEBHOOK_TIMEOUT)
    with requests.Session() as session:
        session.trust_env = False
        session.mount("https://", pinned)
        try:
            with (
                pinned.deadline(),
                session.post(
                    url,
                    data=body,
                    # What is read of an answer is counted in bytes as they come.
                    headers={**sent, "Accept-Encoding": "identity"},
                    timeout=settings.WEBHOOK_TIMEOUT,
                    verify=trust_anchors(),
                    allow_redirects=False,
                    stream=True,
                ) as response,
            ):
                text = _read(response)
        except (requests.RequestException, HTTPError, OSError, ValueError) as problem:
            late = pinned.expired or isinstance(problem, requests.Timeout)
            said = f"No answer within {settings.WEBHOOK_TIMEOUT} seconds." if late else f"The call failed: {_reason(problem)}"
            return Outcome(None, "", said[:500], since())
    if pinned.expired:
        return Outcome(None, "", f"No whole answer within {settings.WEBHOOK_TIMEOUT} seconds.", since())
    code = response.status_code
    error = "" if 200 <= code < 300 else f"The receiver answered {code}."
    wait = retry_after_seconds(response.headers["Retry-After"], now) if "Retry-After" in response.headers else None
    return Outcome(code, text[:KEPT_ANSWER], error, since(), wait if code in {429, 503} else None)


def _checked_address(url: str) -> str | None:
    """The address to connect to: the first of the host's, if all of them may be contacted."""
    parts = urlsplit(url)
    found = resolve(parts.hostname or "", parts.port or 443)
    if not found or not all(is_allowed(address, settings.WEBHOOK_ALLOWED_NETWORKS) for address in found):
        return None
    return str(found[0])


def _read(response: requests.Response) -> str:
    """As much of the answer as is worth reading, NUL and what is no UTF-8 replaced."""
    received = b""
    for chunk in response.raw.stream(8192, decode_content=False):
        received += chunk
        if len(received) >= READ_ANSWER:
            break
    return received[:READ_ANSWER].decode("utf-8", "replace").replace("\0", "\ufffd")


def _reason(problem: Exception) -> str:
    """The innermost cause, without the addresses of Python objects that libraries put into their messages."""
    cause: BaseException = problem
    while isinstance(getattr(cause, "reason", None), BaseException) or (cause.args and isinstance(cause.args[0], BaseException)):
        cause = cause.reason if isinstance(getattr(cause, "reason", None), BaseException) else cause.args[0]  # type: ignore[attr-defined]
    return str(cause).rpartition(">: ")[2] or type(cause).__name__


@cache
def trust_anchors() -> str:
    """A file of the public certificate authorities and, beside them, those of WEBHOOK_CA_BUNDLE."""
    extra = settings.WEBHOOK_CA_BUNDLE
    if not extra:
        return certifi.where()
    bundle = settings.VAR_DIR / "webhook-ca.pem"
    unfinished = bundle.with_suffix(f".{threading.get_ident()}")
    with open(certifi.where(), "rb") as public, open(extra, "rb") as own:
        unfinished.write_bytes(public.read() + b"\n" + own.read())
    unfinished.replace(bundle)
    return str(bundle)


class _Connection(HTTPSConnection):
    """Lets go of a receiver that takes its time, byte by byte, so that no single read ever times out."""

    pinned: "_PinnedAdapter"

    def _new_conn(self) -> socket.socket:
        """Leaves the deadline a handle of its own: during the handshake the socket is nobody's to shut down."""
        made = super()._new_conn()
        self.pinned.hold(made.dup())
        return made


class _Pool(HTTPSConnectionPool):
    ConnectionCls = _Connection


class _PinnedAdapter(HTTPAdapter):
    """Connects to one checked address, whatever the host's name would lead to by now; the certificate is the name's."""

    def __init__(self, address: str, seconds: float) -> None:
        self.address = address
        self.seconds = seconds
        self.expired = False
        self._line: socket.socket | None = None
        self._pool: _Pool | None = None
        self._lock = threading.Lock()
        super().__init__(max_retries=0)

    def get_connection_with_tls_context(
        self, request: requests.PreparedRequest, verify: Any, proxies: Any = None, cert: Any = None
    ) -> Any:
        parts = urlsplit(request.url or "")
        adapter = self

        class Connection(_Connection):
            pinned = adapter

        pool = _Pool(
            self.address,
            parts.port or 443,
            server_hostname=parts.hostname,
            assert_hostname=parts.hostname,
            cert_reqs=ssl.CERT_REQUIRED,
            ca_certs=verify,
        )
        pool.ConnectionCls = Connection
        self._pool = pool
        return pool

    def add_headers(self, request: requests.PreparedRequest, **_: Any) -> None:
        request.headers["Host"] = urlsplit(request.url or "").netloc

    def deadline(self) -> "_Deadline":
        return _Deadline(self)

    def hold(self, line: socket.socket) -> None:
        """Keeps what `cut` shuts down; a connection that was made too late is shut down at once."""
        with self._lock:
            self._line = line
            if self.expired:
                self._shut_down()

    def cut(self) -> None:
        with self._lock:
            self.expired = True
            self._shut_down()

    def _shut_down(self) -> None:
        if self._line is not None:
            with suppress(OSError):
                self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with self._lock:
            if self._line is not None:
                self._line.close()
                self._line = None
        if self._pool is not None:
            self._pool.close()
        super().close()


class _Deadline:
    """Cuts the adapter's connection when the time for the whole call is over."""

    def __init__(self, adapter: _PinnedAdapter) -> None:
        self._timer = threading.Timer(adapter.seconds, adapter.cut)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
