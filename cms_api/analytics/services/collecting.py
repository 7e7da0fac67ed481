"""Takes the messages of pages. Nothing here asks the database, but for the day's salts and the settings, which are in memory, and
the budget of an address that sends many messages.
"""

import time
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from cms_api.auth.selectors import client_ip
from cms_api.core.errors import BadRequest, MethodNotAllowed, TooLarge, Unavailable

from ..types.events import LARGEST, Event, device_of, events_of, read_message
from .exclusions import is_counted, is_counted_event
from .limits import charge
from .rules import rules
from .salts import visitor
from .spool import SPOOL, Full

EMPTY = 204
#: User agents are longer only if somebody plays with them.
MAX_AGENT = 1000


def collect(request: HttpRequest) -> HttpResponse:
    """Answer a page's message. Messages that are not counted get the same answer, so that nobody learns why.

    Raises MethodNotAllowed, TooManyAttempts, TooLarge, BadRequest, and Unavailable while nothing can be written.
    """
    if request.method != "POST":
        raise MethodNotAllowed(["POST"])
    address = client_ip(request)
    charge(address)
    lines = b"".join(event.as_line() for event in read_events(request, address))
    if lines:
        try:
            SPOOL.append(lines)
        except (OSError, Full):
            raise Unavailable("Visits can't be stored. Try again later.", headers={"Retry-After": "60"}) from None
    return HttpResponse(status=EMPTY)


def read_events(request: HttpRequest, address: str) -> list[Event]:
    """Return the events of a page's message; none if they are not counted. Raises BadRequest, and TooLarge."""
    message = read_message(_body(request))
    agent = request.META.get("HTTP_USER_AGENT", "")[:MAX_AGENT]
    if not is_counted(request, agent, address):
        return []
    sender = visitor(address, agent)
    events = events_of(
        message,
        at=time.time(),
        own_host=own_host(),
        kept=rules().kept_parameters,
        visitor=sender.today,
        formerly=sender.yesterday,
        device=device_of(agent),
        country=country_of(request),
    )
    return list(filter(is_counted_event, events))


def _body(request: HttpRequest) -> bytes:
    """Return the body; one that is said to be too large is not read."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) > LARGEST:
        raise TooLarge
    try:
        return request.body
    except OSError:
        raise BadRequest("The message was interrupted.") from None


def country_of(request: HttpRequest) -> str:
    """Return the country that a proxy has named in a header; none is named unless a setting says which header."""
    code = request.META.get(rules().country_header, "").strip().upper()
    return code if len(code) == 2 and code.isascii() and code.isalpha() and code != "XX" else ""


def own_host() -> str:
    return urlsplit(settings.BASE_URL).hostname or ""
