"""Secrets, signatures and retries: rules that need no database."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from datetime import timedelta

from django.db.models import TextChoices

ALL = "*"
SECRET_PREFIX = "whsec_"
#: How long the previous secret still signs after a rotation.
OLD_SECRET_LIFETIME = timedelta(hours=24)
#: Consecutive failed deliveries after which an endpoint is disabled.
FAILURE_BUDGET = 20
#: The status of a receiver that is to be disabled at once.
GONE_STATUS = 410
#: The longest Retry-After that is respected.
LONGEST_WAIT = timedelta(hours=1)
#: The characters of a response that are logged, and the bytes of it that are read at most.
LOGGED_ANSWER_CHARACTERS = 1024
READ_ANSWER_BYTES = 64 * 1024
#: Finished deliveries in an endpoint's log.
LOGGED_DELIVERIES = 50


class DeliveryStatus(TextChoices):
    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    CANCELLED = "cancelled"


def new_secret() -> str:
    """Return `whsec_` and 40 base64 characters, letters and digits only, so that a double click selects all of it."""
    while True:
        encoded = base64.b64encode(secrets.token_bytes(30)).decode()
        if encoded.isalnum():
            return SECRET_PREFIX + encoded


def hex_signature(secret: str, body: bytes) -> str:
    """Return `sha256=<hex>` of the raw body, keyed with the whole secret as it is shown."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_signature(keys: Iterable[str], message_id: str, timestamp: int, body: bytes) -> str:
    """Return the `webhook-signature` of Standard Webhooks: a `v1,<base64>` per secret, keyed with its decoded bytes."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    digests = (hmac.new(base64.b64decode(key.removeprefix(SECRET_PREFIX)), signed, hashlib.sha256).digest() for key in keys)
    return " ".join("v1," + base64.b64encode(digest).decode() for digest in digests)
