"""The sender of a request: its token, cached in this process until the `tokens` version changes, its user and its address."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone

from cms_api.core import registry, versions
from cms_api.core.errors import Unauthenticated
from cms_api.core.module import Restriction
from cms_api.flags.selectors import is_on

from .models import ApiToken
from .types import Grant, digest, is_well_formed, restriction_key

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
    known: dict[str, Grant] = versions.load_once(VERSION, dict)
    grant = known.get(wanted) or _load(wanted)
    if grant is None or not secrets.compare_digest(grant.digest, wanted) or _is_over(grant.expires_at):
        raise Unauthenticated
    known[wanted] = grant
    return grant


def token_of(grant: Grant) -> ApiToken:
    return ApiToken.objects.get(pk=grant.id)


def _load(wanted: str) -> Grant | None:
    columns = ("id", "digest", "abilities", "expires_at", "restriction", "scope_id")
    row = ApiToken.objects.filter(digest=wanted, revoked_at=None).values_list(*columns).first()
    return Grant(row[0], row[1], frozenset(row[2]), *row[3:]) if row else None


def restriction_of(token: ApiToken) -> Restriction | None:
    """Return the declaration of a token's restriction; None without one, or if its module is not installed."""
    _, preset = registry.restrictions().get(token.restriction, (None, None))
    return preset.restriction if preset else None


def restriction_choices() -> list[tuple[str, str, str]]:
    """Return what tokens can be restricted to: the text that names it, its title, and its scope's title (empty: all records)."""
    found = []
    for name, (module, preset) in registry.restrictions().items():
        assert preset.restriction is not None
        found.append((restriction_key(name), preset.restriction.title, ""))
        if preset.restriction.scope_choices and is_on(module.feature):
            scopes = registry.load(preset.restriction.scope_choices)()
            found += [(restriction_key(name, pk), preset.restriction.title, title) for pk, title in scopes]
    return found


def _is_over(expires_at: datetime | None) -> bool:
    return expires_at is not None and expires_at <= timezone.now()


def is_editor(user: Any) -> bool:
    """Return whether this account may enter the admin."""
    return user.is_staff or user.is_superuser or user.has_perm("wagtailadmin.access_admin")


def owns_address(user: Any, address: str) -> bool:
    """Return whether this visitor is signed in and has confirmed an address, in any spelling."""
    if user is None or not user.is_authenticated:
        return False
    return EmailAddress.objects.filter(user=user, email=address.strip().lower(), verified=True).exists()


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


def is_in_networks(address: str, networks: Sequence[IPv4Network | IPv6Network]) -> bool:
    """Return whether a client's address is in one of some networks; one of IPv4 that is written as IPv6 is that of IPv4."""
    if not networks or not _is_address(address):
        return False
    found = ip_address(address)
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return any((mapped or found) in network for network in networks)


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
