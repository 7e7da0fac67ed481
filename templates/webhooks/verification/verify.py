"""Verifies a webhook: Python 3, nothing but the standard library."""

import base64
import hashlib
import hmac
import time


def is_genuine(secret: str, headers: dict[str, str], body: bytes, tolerance: int = 300) -> bool:
    """Whether the raw body was signed with the secret (`whsec_...`), not more than `tolerance` seconds ago."""
    sent = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = sent.get("webhook-id", ""), sent.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > tolerance:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, given) for given in sent.get("webhook-signature", "").split(" "))
