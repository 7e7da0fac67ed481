"""Takes the messages of pages. Nothing here asks the database, but for the day's salts and the settings, which are in memory."""

import time
from functools import lru_cache
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

import crawleruseragents
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from cms_api.auth.selectors import client_ip
from cms_api.core.errors import BadRequest
from cms_api.flags.selectors import get_setting

from ..types.events import Event, device_of, events_of, read_message
from .salts import visitor
from .spool import SPOOL, Full

EMPTY = 204
#: User agents are longer only if somebody plays with them.
MAX_AGENT = 1000


def collect(request: HttpRequest) -> HttpResponse:
    """Answer a page's message. Messages that are not counted are answered alike, so that nobody learns why."""
    if request.method != "POST":
        return HttpResponse(status=405, headers={"Allow": "POST"})
    try:
        lines = b"".join(event.as_line() for event in read_events(request))
        if lines:
            SPOOL.append(lines)
    except BadRequest as refusal:
        return HttpResponse(refusal.message, status=400, content_type="text/plain; charset=utf-8")
    except (OSError, Full):
        return HttpResponse(status=503, headers={"Retry-After": "60"})
    return HttpResponse(status=EMPTY)


def read_events(request: HttpRequest) -> list[Event]:
    """Return the events of a page's message; none if its sender is not counted. Raises BadRequest."""
    message = read_message(request.body)
    agent = request.META.get("HTTP_USER_AGENT", "")[:MAX_AGENT]
    address = client_ip(request)
    if not is_counted(request, agent, address):
        return []
    sender = visitor(address, agent)
    return events_of(
        message,
        at=time.time(),
        own_host=own_host(),
        kept=frozenset(_words("analytics.kept_parameters")),
        visitor=sender.today,
        formerly=sender.yesterday,
        device=device_of(agent),
        country=country_of(request),
    )


def is_counted(request: HttpRequest, agent: str, address: str) -> bool:
    """Return whether a request's sender is a person who wants to be counted, and not one of our own."""
    wants_none = request.META.get("HTTP_DNT") == "1" or request.META.get("HTTP_SEC_GPC") == "1"
    is_prefetch = "prefetch" in request.META.get("HTTP_SEC_PURPOSE", "") or "prerender" in request.META.get("HTTP_PURPOSE", "")
    return not (wants_none or is_prefetch or is_bot(agent) or is_excluded(address, tuple(_words("analytics.excluded_addresses"))))


@lru_cache(maxsize=10_000)
def is_bot(agent: str) -> bool:
    """Return whether a user agent is that of a robot; none at all is, too."""
    return not agent.strip() or crawleruseragents.is_crawler(agent)


@lru_cache(maxsize=10_000)
def is_excluded(address: str, networks: tuple[str, ...]) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return any(found in ip_network(network, strict=False) for network in networks if _is_network(network))


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True


def country_of(request: HttpRequest) -> str:
    """Return the country that a proxy has named in a header; none is named unless a setting says which header."""
    header = str(get_setting("analytics.country_header")).strip()
    code = request.META.get(f"HTTP_{header.upper().replace('-', '_')}", "").strip().upper() if header else ""
    return code if len(code) == 2 and code.isascii() and code.isalpha() and code != "XX" else ""


def own_host() -> str:
    return urlsplit(settings.BASE_URL).hostname or ""


def _words(key: str) -> list[str]:
    """Return a setting that is a list of words."""
    return str(get_setting(key) or "").replace(",", " ").split()
