"""A single call to a receiver: to checked IP addresses, with one deadline for the whole call."""

import json
import time
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from urllib3.exceptions import HTTPError, NewConnectionError
from urllib3.exceptions import TimeoutError as LateError

from cms_api.core.errors import Invalid

from ..models import Delivery, Endpoint
from ..selectors import signing_secrets
from ..types import (
    LOGGED_ANSWER,
    READ_ANSWER,
    Address,
    check_url,
    hex_signature,
    is_allowed,
    is_localhost,
    retry_after_seconds,
    standard_signature,
)
from .connection import PinnedConnection, seconds_until
from .lookup import resolve

AGENT = "Site-Webhooks/1.0"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call. `code` is None without a response; `error` says why, in terms a person can act on."""

    code: int | None
    answer: str
    error: str
    duration_ms: int = 0
    retry_after: float | None = None

    @property
    def succeeded(self) -> bool:
        return self.code is not None and 200 <= self.code < 300 and not self.error


def message(delivery: Delivery) -> bytes:
    """Return the body, identical for every attempt."""
    event = delivery.event
    head = {
        "event": event.kind,
        "delivery_id": delivery.pk,
        "timestamp": event.occurred_at.replace(microsecond=0).isoformat(),
    }
    return json.dumps(head, separators=(",", ":"))[:-1].encode() + b',"data":' + bytes(event.payload) + b"}"


def headers(*, endpoint: Endpoint, kind: str, delivery_id: int, body: bytes, now: datetime) -> dict[str, str]:
    """Return both families of signature headers: the service's own, and those of Standard Webhooks."""
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


class _NotCalled(Exception):
    """The receiver cannot or must not be called; the message says why."""


def post(url: str, body: bytes, sent: dict[str, str], now: datetime, connection: PinnedConnection | None = None) -> Outcome:
    """Send a body and return the outcome; never raises for a failed call. Redirects are failures, and are not followed.

    The next call can reuse `connection`; its host is looked up and checked again all the same.
    """
    if connection is None:
        with PinnedConnection() as own:
            return post(url, body, sent, now, own)
    started = time.monotonic()
    try:
        outcome = _call(url, body, sent, now, connection)
    except _NotCalled as refusal:
        outcome = Outcome(None, "", _logged(str(refusal), 500))
    except (OSError, HTTPError, ValueError) as problem:
        cause = _cause(problem)
        # A refused connection is one of urllib3's timeouts too.
        is_late = isinstance(cause, TimeoutError | LateError) and not isinstance(cause, NewConnectionError)
        said = (
            f"No complete response within {settings.WEBHOOK_TIMEOUT} seconds."
            if is_late
            else f"The request failed: {_words(cause)}"
        )
        outcome = Outcome(None, "", _logged(said, 500))
    if not outcome.succeeded:
        # Late data could be taken for the response to the next call.
        connection.close()
    return replace(outcome, duration_ms=int((time.monotonic() - started) * 1000))


def _call(url: str, body: bytes, sent: dict[str, str], now: datetime, connection: PinnedConnection) -> Outcome:
    ends = time.monotonic() + settings.WEBHOOK_TIMEOUT
    try:
        parts = check_url(url)
    except Invalid as refusal:
        raise _NotCalled(str(refusal)) from None
    host, port = parts.hostname or "", parts.port or 443
    addresses = _checked_addresses(host, port, seconds_until(ends))
    with connection.post(url, host, port, addresses, body, sent, ends) as response:
        received = response.raw.read(READ_ANSWER, decode_content=False)
        if not response.raw.closed:
            # The rest is not worth reading.
            connection.close()
    code = response.status_code
    asked = response.headers.get("Retry-After") if code in {429, 503} else None
    return Outcome(
        code,
        _logged(received.decode("utf-8", "replace"), LOGGED_ANSWER),
        "" if 200 <= code < 300 else f"The receiver answered {code}.",
        retry_after=None if asked is None else retry_after_seconds(asked, now),
    )


def _checked_addresses(host: str, port: int, seconds: float) -> list[Address]:
    """Return every current IP address of the host. Raises _NotCalled unless all of them may be contacted."""
    try:
        found = resolve(host, port, seconds)
    except (OSError, ValueError) as problem:
        raise _NotCalled(f"The host could not be found: {problem}") from None
    if not found or is_localhost(host) or not all(is_allowed(address, settings.WEBHOOK_ALLOWED_NETWORKS) for address in found):
        raise _NotCalled("The host resolves to a private or reserved address.")
    return found


def _cause(problem: BaseException) -> BaseException:
    """Return the exception that libraries have wrapped in their own."""
    inner = [each for each in (getattr(problem, "reason", None), *problem.args) if isinstance(each, BaseException)]
    return _cause(inner[0]) if inner else problem


def _words(cause: BaseException) -> str:
    """Return the message without the object addresses that libraries put into it."""
    return str(cause).rpartition(">: ")[2] or type(cause).__name__


def _logged(text: str, length: int) -> str:
    """Return the start of a receiver's text, in a form that any database can store."""
    return text.replace("\0", "\ufffd")[:length]
