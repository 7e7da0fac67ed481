"""Posts of visitors who are not signed in: what tells a robot, and how many one address may send.

A page that takes something from visitors asks for three things with it: a signed time at which it was opened, an input that
people do not see, and what the visitor wrote. What `judge` then holds against a post is for its module to keep from view;
whoever sent it is answered as anybody is, and learns nothing.
"""

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from django.core import signing
from django.utils import timezone
from django.utils.crypto import salted_hmac

from cms_api.core.errors import TooManyAttempts

from .budgets import spend

#: The input that people do not see.
HONEYPOT = "hp_url"

_SALT = "visitors.opened"
_LINK = re.compile(r"https?://|www\.|\[url\b|<a\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Limits:
    """What is nothing special from one visitor, for one purpose."""

    #: Seconds that a person needs at least, and for which a page that was opened stays good.
    fastest: int = 2
    stale: int = 24 * 3600
    #: Posts from one address; beyond `flood` in an hour nothing is taken in at all.
    a_minute: int = 10
    an_hour: int = 60
    flood: int = 600
    #: Addresses of the web in what was written.
    links: int = 3


LIMITS = Limits()


class Stale(Exception):
    """The page was opened so long ago that nobody can tell who opened it; it must be sent again."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What a post shows of its sender."""

    address: str
    honeypot: str
    stamp: str


def stamp(purpose: str) -> str:
    """Says, signed, when a page was opened that takes posts for a purpose, such as `forms:7`."""
    return signing.dumps([purpose, time.time()], salt=_SALT)


def judge(*, purpose: str, visit: Visit, texts: Iterable[str] = (), limits: Limits = LIMITS) -> str:
    """Why a valid post is held back; empty where nothing is wrong with it. Raises Stale, and TooManyAttempts in a flood.

    `texts` are what was written freely. Each purpose has budgets of its own, to which every call is charged.
    """
    too_fast = _is_too_fast(purpose, visit.stamp, limits)
    sender = _sender(visit.address)
    used = spend(f"{purpose}:{sender}:hour", limits.an_hour, window=3600)
    burst = spend(f"{purpose}:{sender}:minute", limits.a_minute)
    if used.used > limits.flood:
        raise TooManyAttempts
    if visit.honeypot.strip():
        return "The honeypot field was filled in."
    if too_fast:
        return too_fast
    if not (used.allowed and burst.allowed):
        return "Too many submissions from one address."
    if sum(len(_LINK.findall(text)) for text in texts) > limits.links:
        return f"Contains more than {limits.links} links."
    return ""


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


def _sender(address: str) -> str:
    """An address that can be compared for a day, and not be read; of IPv6 the network, of which a visitor has all."""
    try:
        found = ip_address(address)
        if isinstance(found, IPv6Address):
            address = str(ip_network((found, 64), strict=False))
    except ValueError:
        pass
    return salted_hmac("visitors.sender", f"{timezone.now():%Y-%m-%d} {address}", algorithm="sha256").hexdigest()[:32]
