"""Addresses that may be called: rules that look nothing up."""

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import SplitResult, urlsplit

from cms_api.core.errors import Invalid, attribute, required_message
from cms_api.text.hosts import ascii_host

MAX_URL = 2048

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


def as_https(url: str) -> str:
    """Return the address of a calendar as it is fetched: `webcal://` is https by another name."""
    scheme, separator, rest = url.partition("://")
    return f"https://{rest}" if separator and scheme.lower() in {"webcal", "webcals"} else url


def check_url(url: str, path: str = "url") -> SplitResult:
    """Return the parts of an https URL that may be called, judging by its text alone. Raises Invalid at `path`."""
    name = attribute(path)
    if not url:
        raise Invalid({path: required_message(path)})
    if len(url) > MAX_URL:
        raise Invalid({path: f"The {name} may not be greater than {MAX_URL} characters."})
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise Invalid({path: f"The {name} is not a valid address."}) from None
    if parts.scheme != "https":
        raise Invalid({path: f"The {name} must begin with https://."})
    if parts.username is not None or parts.password is not None:
        raise Invalid({path: f"The {name} must not contain credentials."})
    if port == 0 or not _is_host(host or "") or any(char.isspace() or not char.isprintable() or char == "\\" for char in url):
        raise Invalid({path: f"The {name} is not a valid address."})
    return parts


def host_of(parts: SplitResult) -> str:
    """Return the host of a URL that `check_url` accepts as it is looked up, called and named in certificates."""
    return ascii_host(parts.hostname or "")


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
    return f".{_ascii_name(host)}".endswith(".localhost")


def _ascii_name(host: str) -> str:
    """Return a host name as it is looked up, without the dot at its end; empty if it has empty or long labels."""
    try:
        return ascii_host(host).removesuffix(".")
    except ValueError:
        return ""


def is_allowed(address: Address, permitted: Sequence[Network] = ()) -> bool:
    """Return whether connecting is allowed: the address is public unicast and embeds no other, or is explicitly permitted."""
    if any(address.version == network.version and address in network for network in permitted):
        return True
    if address in _METADATA or address.is_multicast or not address.is_global:
        return False
    return not any(address.version == network.version and address in network for network in _BLOCKED)
