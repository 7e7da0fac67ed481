"""Secrets, signatures and allowed addresses: rules that need no database."""

import base64
import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import SplitResult, urlsplit

from django.db.models import TextChoices

from cms_api.core.errors import Invalid, required

ALL = "*"
MAX_URL = 2048
SECRET_PREFIX = "whsec_"
#: How long the previous secret still signs after a rotation.
ROTATION = timedelta(hours=24)
#: Consecutive failed deliveries after which an endpoint is disabled.
FAILURE_BUDGET = 20
#: The longest Retry-After that is respected.
LONGEST_WAIT = timedelta(hours=1)
#: The characters of a response that are logged, and the bytes of it that are read at most.
LOGGED_ANSWER = 1024
READ_ANSWER = 64 * 1024
#: Finished deliveries in an endpoint's log.
LOGGED_DELIVERIES = 50

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

#: Public addresses at which clouds serve a machine's own credentials.
_METADATA = frozenset(map(ipaddress.ip_address, ("168.63.129.16", "169.254.169.254", "fd00:ec2::254", "100.100.100.200")))
#: IPv6 ranges that embed an IPv4 address, or lead to one.
_DISGUISES = ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16")
#: Ranges that Python's `is_global` accepts, or accepted until recently.
_RESERVED = ("100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "5f00::/16", "2001:20::/28", "3fff::/20", "fec0::/10")
_BLOCKED = tuple(map(ipaddress.ip_network, (*_DISGUISES, *_RESERVED)))


#: The longest name in DNS, without the dot at its end.
_MAX_HOST = 253
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.IGNORECASE)


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


def check_url(url: str) -> SplitResult:
    """Return the parts of a URL that can be subscribed, judging by its text alone. Raises Invalid."""
    if not url:
        raise Invalid({"url": required("url")})
    if len(url) > MAX_URL:
        raise Invalid({"url": f"The url may not be greater than {MAX_URL} characters."})
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise Invalid({"url": "The url is not a valid address."}) from None
    if parts.scheme != "https":
        raise Invalid({"url": "The url must begin with https://."})
    if parts.username is not None or parts.password is not None:
        raise Invalid({"url": "The url must not contain credentials."})
    if port == 0 or not _is_host(host or "") or any(char.isspace() or not char.isprintable() or char == "\\" for char in url):
        raise Invalid({"url": "The url is not a valid address."})
    return parts


def _is_host(host: str) -> bool:
    """Return whether it is an IPv6 address without a zone, or a name that can be looked up: no escapes, empty or long labels."""
    try:
        return not getattr(ipaddress.IPv6Address(host), "scope_id", None)
    except ValueError:
        pass
    name = _ascii_name(host)
    return len(name) <= _MAX_HOST and bool(_NAME.fullmatch(name))


def is_localhost(host: str) -> bool:
    """Return whether the name is `localhost` or below it: it means this machine, whatever a resolver answers (RFC 6761)."""
    return f".{_ascii_name(host).lower()}".endswith(".localhost")


def _ascii_name(host: str) -> str:
    """Return a host name as it is looked up, without the dot at its end; empty if it has empty or long labels."""
    try:
        return host.encode("idna").decode().removesuffix(".")
    except UnicodeError:
        return ""


def is_allowed(address: Address, permitted: Sequence[Network] = ()) -> bool:
    """Return whether connecting is allowed: the address is public unicast and embeds no other, or is explicitly permitted."""
    if any(address.version == network.version and address in network for network in permitted):
        return True
    if address in _METADATA or address.is_multicast or not address.is_global:
        return False
    return not any(address.version == network.version and address in network for network in _BLOCKED)


def retry_after_seconds(header: str, now: datetime) -> float | None:
    """Return a Retry-After header in seconds, from a number of seconds or an HTTP date."""
    text = header.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return max(0.0, (moment - now).total_seconds()) if moment.tzinfo else None
