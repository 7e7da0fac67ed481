"""Spam protection for posts of visitors who are not signed in: robot checks, and limits per address.

A page that accepts posts submits three things to be checked: a signed time at which it was opened, a hidden honeypot input,
and the visitor's text. If `judge` objects to a post, its module hides the post but answers as usual, so that the sender
learns nothing.
"""

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from django.core import signing
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from cms_api.core.errors import ErrorCollector, TooManyAttempts
from cms_api.fields import names
from cms_api.fields.base import FieldPath, read_line
from cms_api.http.current import current_request
from cms_api.text.keyboards import drop_invisible

from ..selectors import is_editor
from ..types import NETWORK_KEY_LENGTH
from .budgets import spend

#: The name of the hidden input.
HONEYPOT = "hp_url"

_SALT = "visitors.opened"
_LINK = re.compile(r"https?://|www\.|\[url\b|<a\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """The normal use of one form by one visitor."""

    #: The least seconds a person needs, and the seconds for which an opened page stays valid.
    fastest: int = 2
    stale: int = 24 * 3600
    #: Posts per address; beyond `flood` in an hour all are rejected.
    a_minute: int = 10
    an_hour: int = 60
    flood: int = 600
    #: URLs in the visitor's text.
    links: int = 3


LIMITS = Limits()


class Stale(Exception):
    """The page was opened too long ago to check the post; it must be submitted again."""


@dataclass(frozen=True, slots=True)
class Visit:
    """The data of a post that identifies its sender."""

    address: str
    honeypot: str
    stamp: str


def acting_visitor() -> HttpRequest | None:
    """Return the request of the visitor who causes what happens now; None for staff, API tokens, jobs and commands."""
    request = current_request()
    user = getattr(request, "user", None)
    return None if user is not None and user.is_authenticated and is_editor(user) else request


def read_name(value: object, where: FieldPath, limit: int) -> str:
    """Return the name of a person, empty if there is none; visitors may not enter one with a web address. Raises Invalid."""
    return names.read_name(value, where, limit) if acting_visitor() else read_line(value, where, limit) or ""


def check_name(errors: ErrorCollector, path: str, value: object, refusal: str = names.WEB_ADDRESS) -> None:
    """Refuse a text with a web address, such as a name, that a visitor has entered and that is mailed to others."""
    if isinstance(value, str) and acting_visitor() and names.has_web_address(value):
        errors.add(path, refusal)


def check_address(errors: ErrorCollector, path: str, address: Mapping[str, str]) -> None:
    """Refuse a postal address with web addresses in its lines, which is on receipts that are mailed to others."""
    check_name(errors, f"{path}.name", address["name"])
    for key, value in address.items():
        if key != "name" and acting_visitor() and names.has_link(value):
            errors.add(f"{path}.{key}", "Enter a postal address without a web address.")


def stamp(purpose: str) -> str:
    """Return the signed current time, for a page that accepts posts for a purpose such as `forms:7`."""
    return signing.dumps([purpose, time.time()], salt=_SALT)


def judge(*, purpose: str, visit: Visit, texts: Iterable[str] = (), limits: Limits = LIMITS) -> str:
    """Return why a valid post should be hidden, or an empty text. Raises Stale, and TooManyAttempts in a flood.

    `texts` are the free texts in the post. Each purpose has its own budgets, to which every call is charged.
    """
    too_fast = _is_too_fast(purpose, visit.stamp, limits)
    sender = sender_of(visit.address)
    used = spend(f"{purpose}:{sender}:hour", limits.an_hour, window=3600)
    burst = spend(f"{purpose}:{sender}:minute", limits.a_minute)
    if used.used > limits.flood:
        raise TooManyAttempts(headers={"Retry-After": str(used.seconds_left)})
    if visit.honeypot.strip():
        return "The honeypot field was filled in."
    if too_fast:
        return too_fast
    if not (used.allowed and burst.allowed):
        return "Too many submissions from one address."
    if sum(len(_LINK.findall(drop_invisible(text))) for text in texts) > limits.links:
        return f"Contains more than {limits.links} links."
    return ""


def limit(*, purpose: str, address: str, an_hour: int) -> None:
    """Charge a post of a visitor to the budget of a purpose. Raises TooManyAttempts if it is spent."""
    spent = spend(f"{purpose}:{sender_of(address)}:hour", an_hour, window=3600)
    if not spent.allowed:
        raise TooManyAttempts(headers={"Retry-After": str(spent.seconds_left)})


def _is_too_fast(purpose: str, sent: str, limits: Limits) -> str:
    try:
        opened_for, opened = signing.loads(sent, salt=_SALT, max_age=limits.stale)
    except signing.SignatureExpired:
        raise Stale from None
    except (signing.BadSignature, ValueError, TypeError):
        return "Not submitted from the form's page."
    if opened_for != purpose:
        return "Not submitted from the form's page."
    return f"Submitted within {limits.fastest} seconds." if time.time() - opened < limits.fastest else ""


def sender_of(address: str) -> str:
    """Return a keyed hash of an address that is comparable for one day. IPv6 is reduced to the network a visitor controls."""
    sent = f"{timezone.now():%Y-%m-%d} {network_of(address)}"
    return salted_hmac("visitors.sender", sent, algorithm="sha256").hexdigest()[:32]


def network_key(address: str) -> str:
    """Return a keyed hash of a visitor's network, by which what it holds and has not paid for is counted.

    It is stored only while something is held.
    """
    return salted_hmac("visitors.network", network_of(address), algorithm="sha256").hexdigest()[:NETWORK_KEY_LENGTH]


@lru_cache(maxsize=10_000)
def network_of(address: str) -> str:
    """Return an address as it is limited: IPv6 is reduced to the /64 network that a visitor controls."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        # An IPv4 address that reached a socket of IPv6 is one visitor's.
        return str(found.ipv4_mapped or ip_network((found, 64), strict=False))
    return address
