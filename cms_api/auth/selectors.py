"""Looks up a request's token, cached in this process until the `tokens` version changes."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.errors import Unauthenticated

from .models import ApiToken
from .types import Grant, digest, is_well_formed

VERSION = "tokens"
#: Characters of an IPv6 address with a zone.
_LONGEST_ADDRESS = 64


def grant_for(header: str) -> Grant:
    """Return the grant of the token in an Authorization header. Raises the same Unauthenticated for every reason."""
    scheme, _, plaintext = header.partition(" ")
    plaintext = plaintext.strip()
    if scheme.lower() != "bearer" or not is_well_formed(plaintext):
        raise Unauthenticated
    wanted = digest(plaintext)
    known: dict[str, Grant] = versions.cached(VERSION, dict)
    grant = known.get(wanted) or _load(wanted)
    if grant is None or not secrets.compare_digest(grant.digest, wanted) or _is_over(grant.expires_at):
        raise Unauthenticated
    known[wanted] = grant
    return grant


def token_of(grant: Grant) -> ApiToken:
    return ApiToken.objects.get(pk=grant.id)


def _load(wanted: str) -> Grant | None:
    row = ApiToken.objects.filter(digest=wanted, revoked_at=None).values_list("id", "digest", "abilities", "expires_at").first()
    return Grant(row[0], row[1], frozenset(row[2]), row[3]) if row else None


def _is_over(expires_at: datetime | None) -> bool:
    return expires_at is not None and expires_at <= timezone.now()


def client_ip(http: HttpRequest) -> str:
    """Return the address of a request's client; see `client_address`."""
    return client_address(http.META.get("REMOTE_ADDR", ""), http.META.get("HTTP_X_FORWARDED_FOR", ""))


def client_address(peer: str, forwarded_for: str) -> str:
    """Return the peer's address or, if TRUSTED_PROXIES contains the peer, the right-most X-Forwarded-For entry not in it."""
    address = peer or "unknown"
    if not settings.TRUSTED_PROXIES:
        return address
    trusted = tuple(settings.TRUSTED_PROXIES)
    forwarded = forwarded_for.split(",")
    while forwarded and _is_trusted(address, trusted):
        candidate = forwarded.pop().strip()
        if len(candidate) > _LONGEST_ADDRESS or not _is_address(candidate):
            break
        address = candidate
    return address


@lru_cache(maxsize=10_000)
def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=10_000)
def _is_trusted(address: str, proxies: Sequence[str]) -> bool:
    if not _is_address(address):
        return False
    return any(ip_address(address) in ip_network(proxy, strict=False) for proxy in proxies)
