"""One call to a receiver: to an address that was checked, within a deadline for all of it."""

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
    KEPT_ANSWER,
    READ_ANSWER,
    Address,
    check_url,
    hex_signature,
    is_allowed,
    retry_after_seconds,
    standard_signature,
)
from .connection import PinnedConnection, seconds_until
from .lookup import resolve

AGENT = "Site-Webhooks/1.0"


@dataclass(frozen=True)
class Outcome:
    """What came of a call. `code` is None where there was no answer; `error` says why, in words a person can act on."""

    code: int | None
    answer: str
    error: str
    duration_ms: int = 0
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


class _NotCalled(Exception):
    """Nobody can be called, or nobody may be; it says why."""


def post(url: str, body: bytes, sent: dict[str, str], now: datetime, connection: PinnedConnection | None = None) -> Outcome:
    """Sends a body. Nothing is raised: whatever goes wrong is an outcome. Redirects are failures, and are not followed.

    A `connection` is used again by the next call, for which the host is looked up and checked all the same.
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
        # That of a refused connection is one of urllib3's timeouts too.
        is_late = isinstance(cause, TimeoutError | LateError) and not isinstance(cause, NewConnectionError)
        said = (
            f"No complete response within {settings.WEBHOOK_TIMEOUT} seconds."
            if is_late
            else f"The request failed: {_words(cause)}"
        )
        outcome = Outcome(None, "", _logged(said, 500))
    if not outcome.succeeded:
        # Something may still be on its way that would be taken for the answer to the next call.
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
            # More of it is coming than is worth reading.
            connection.close()
    code = response.status_code
    asked = response.headers.get("Retry-After") if code in {429, 503} else None
    return Outcome(
        code,
        _logged(received.decode("utf-8", "replace"), KEPT_ANSWER),
        "" if 200 <= code < 300 else f"The receiver answered {code}.",
        retry_after=None if asked is None else retry_after_seconds(asked, now),
    )


def _checked_addresses(host: str, port: int, seconds: float) -> list[Address]:
    """Every address of the host at this moment. Raises _NotCalled unless all of them may be contacted."""
    try:
        found = resolve(host, port, seconds)
    except (OSError, ValueError) as problem:
        raise _NotCalled(f"The host could not be found: {problem}") from None
    if not found or not all(is_allowed(address, settings.WEBHOOK_ALLOWED_NETWORKS) for address in found):
        raise _NotCalled("The host resolves to a private or reserved address.")
    return found


def _cause(problem: BaseException) -> BaseException:
    """What libraries have wrapped into their own exceptions."""
    inner = [each for each in (getattr(problem, "reason", None), *problem.args) if isinstance(each, BaseException)]
    return _cause(inner[0]) if inner else problem


def _words(cause: BaseException) -> str:
    """Without the addresses of Python objects that libraries put into their messages."""
    return str(cause).rpartition(">: ")[2] or type(cause).__name__


def _logged(text: str, length: int) -> str:
    """As much of what a receiver has said as is kept, as any database can hold it."""
    return text.replace("\0", "\ufffd")[:length]
