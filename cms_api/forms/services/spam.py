"""What tells spam on the public form: a trap for robots, time, the number of posts from one address, and links."""

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from django.core import signing
from django.utils import timezone
from django.utils.crypto import salted_hmac

from cms_api.auth.services.budgets import spend
from cms_api.core.errors import TooManyAttempts

from ..models import Form
from ..types import FormField

#: Seconds that a person needs at least, and for which a page that was opened stays good.
FASTEST = 2
STALE = 24 * 3600
#: Posts from one address to one form that are nothing special; beyond FLOOD not even the quarantine takes them.
A_MINUTE = 10
AN_HOUR = 60
FLOOD = 600
#: Addresses of the web in what was written.
MAX_LINKS = 3

_SALT = "forms.opened"
_LINK = re.compile(r"https?://|www\.|\[url\b|<a\s", re.IGNORECASE)


class Stale(Exception):
    """The page was opened so long ago that nobody can tell who opened it; it must be sent again."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What a post to the public form shows of its sender."""

    address: str
    honeypot: str
    stamp: str


def stamp(form: Form) -> str:
    """Says, signed, when a page with a form was made."""
    return signing.dumps([form.pk, time.time()], salt=_SALT)


def judge(form: Form, visit: Visit, data: Mapping[str, Any]) -> str:
    """Why a valid post is held back; empty where nothing is wrong with it. Raises Stale, and TooManyAttempts in a flood."""
    too_fast = _is_too_fast(form, visit.stamp)
    sender = _sender(visit.address)
    used = spend(f"forms:{form.pk}:{sender}:hour", AN_HOUR, window=3600)
    burst = spend(f"forms:{form.pk}:{sender}:minute", A_MINUTE)
    if used.used > FLOOD:
        raise TooManyAttempts
    if visit.honeypot.strip():
        return "The trap for robots was filled in."
    if too_fast:
        return too_fast
    if not (used.allowed and burst.allowed):
        return "Too many were sent from one address."
    if _links(form.schema, data) > MAX_LINKS:
        return f"It holds more than {MAX_LINKS} links."
    return ""


def _is_too_fast(form: Form, sent: str) -> str:
    try:
        form_id, opened = signing.loads(sent, salt=_SALT, max_age=STALE)
    except signing.SignatureExpired:
        raise Stale from None
    except (signing.BadSignature, ValueError, TypeError):
        return "It does not come from the page of the form."
    if form_id != form.pk:
        return "It does not come from the page of the form."
    return f"It was sent within {FASTEST} seconds." if time.time() - opened < FASTEST else ""


def _links(fields: Iterable[FormField], data: Mapping[str, Any]) -> int:
    """Links in what was written freely; a field that asks for an address may hold one."""
    free = (data.get(field.key) for field in fields if field.type in ("text", "textarea", "hidden"))
    return sum(len(_LINK.findall(text)) for text in free if isinstance(text, str))


def _sender(address: str) -> str:
    """An address that can be compared for a day, and not be read; of IPv6 the network, of which a visitor has all."""
    try:
        found = ip_address(address)
        if isinstance(found, IPv6Address):
            address = str(ip_network((found, 64), strict=False))
    except ValueError:
        pass
    return salted_hmac("forms.sender", f"{timezone.now():%Y-%m-%d} {address}", algorithm="sha256").hexdigest()[:32]
