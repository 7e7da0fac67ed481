"""A single call to a receiver: to checked IP addresses, with one deadline for the whole call."""

import json
import time
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings

from cms_api.outbound.connection import FAILURES, PinnedConnection, failure
from cms_api.outbound.lookup import RefusedError, checked_addresses
from cms_api.outbound.retry_after import retry_after_seconds

from ..models import Delivery, Endpoint
from ..selectors import signing_secrets
from ..types import LOGGED_ANSWER_CHARACTERS, READ_ANSWER_BYTES, hex_signature, standard_signature

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
    except RefusedError as refusal:
        outcome = Outcome(None, "", _shorten(str(refusal), 500))
    except FAILURES as problem:
        outcome = Outcome(None, "", _shorten(failure(problem, settings.WEBHOOK_TIMEOUT), 500))
    if not outcome.succeeded:
        # Late data could be taken for the response to the next call.
        connection.close()
    return replace(outcome, duration_ms=int((time.monotonic() - started) * 1000))


def _call(url: str, body: bytes, sent: dict[str, str], now: datetime, connection: PinnedConnection) -> Outcome:
    ends = time.monotonic() + settings.WEBHOOK_TIMEOUT
    addresses = checked_addresses(url, settings.WEBHOOK_TIMEOUT)
    with connection.send("POST", url, sent, addresses, ends, body) as response:
        received = response.read(READ_ANSWER_BYTES, decode_content=False)
        if not response.closed:
            # The rest is not worth reading.
            connection.close()
    code = response.status
    asked = response.headers.get("Retry-After") if code in {429, 503} else None
    return Outcome(
        code,
        _shorten(received.decode("utf-8", "replace"), LOGGED_ANSWER_CHARACTERS),
        "" if 200 <= code < 300 else f"The receiver answered {code}.",
        retry_after=None if asked is None else retry_after_seconds(asked, now),
    )


def _shorten(text: str, length: int) -> str:
    """Return the start of a receiver's text, in a form that any database can store."""
    return text.replace("\0", "\ufffd")[:length]
