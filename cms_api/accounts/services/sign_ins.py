"""The log of sign-ins: who, when, from which network and browser, and whether it succeeded."""

from ipaddress import ip_address, ip_network
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from cms_api.auth.selectors import client_ip
from cms_api.fields.texts import EMAIL_LIMIT

from ..models import SignIn
from ..types import MAX_BROWSER, SIGN_INS_RETENTION

#: The part of an address that is kept: with all of it, the log would say where somebody lives.
PREFIX_LENGTHS = {4: 24, 6: 48}


def record_success(request: HttpRequest | None, user: Any) -> None:
    _record(request, user, succeeded=True)


def record_failure(request: HttpRequest | None, credentials: dict[str, Any]) -> None:
    """Record a wrong name or password. An unknown name is not stored: it may be a password in the wrong field."""
    name = str(credentials.get("username") or credentials.get("email") or "")
    is_name = 0 < len(name) <= EMAIL_LIMIT and "\0" not in name
    known = get_user_model().objects.filter(Q(username=name) | Q(email__iexact=name)) if is_name else None
    _record(request, known.order_by("pk").first() if known is not None else None, succeeded=False)


@transaction.atomic
def _record(request: HttpRequest | None, user: Any, *, succeeded: bool) -> None:
    SignIn.objects.create(
        user=user,
        name=user.get_username() if user else "",
        succeeded=succeeded,
        network=network_to_keep(client_ip(request)) if request else "",
        browser=_browser(request) if request else "",
    )


def network_to_keep(address: str) -> str:
    """Return the network of an address: `203.0.113.0/24`; empty if it is none."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    return str(ip_network(f"{found}/{PREFIX_LENGTHS[found.version]}", strict=False))


def _browser(request: HttpRequest) -> str:
    sent = request.META.get("HTTP_USER_AGENT", "")
    return "".join(each for each in sent if each.isprintable())[:MAX_BROWSER]


def expire_sign_ins() -> None:
    SignIn.objects.filter(at__lt=timezone.now() - SIGN_INS_RETENTION).delete()
