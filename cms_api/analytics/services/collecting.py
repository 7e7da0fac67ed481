"""Takes the messages of pages.

Nothing here asks the database, but for the day's salts and the settings, which are in memory, and the budget of an address that
sends many messages.
"""

import time
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlsplit

from django.conf import settings

from cms_api.core.errors import Unavailable
from cms_api.http.page_messages import PageMessage

from ..types.events import Event, device_of, events_of, read_message
from .exclusions import is_counted, is_counted_event
from .limits import charge
from .rules import rules
from .salts import salts
from .spool import SPOOL, Full

#: User agents are longer only if somebody plays with them.
MAX_AGENT = 1000


def collect(message: PageMessage) -> None:
    """Leave the events of a message for the worker.

    Raises TooManyAttempts, TooLarge, BadRequest, and Unavailable while nothing can be written. A message that is not counted is
    not refused, so that nobody learns why.
    """
    charge(message.address)
    lines = b"".join([event.as_line() for event in read_events(message)])
    if not lines:
        return
    try:
        SPOOL.append(lines)
    except (OSError, Full):
        raise Unavailable("Visits can't be stored. Try again later.", headers={"Retry-After": "60"}) from None


def read_events(sent: PageMessage) -> list[Event]:
    """Return the events of a page's message; none if they are not counted. Raises BadRequest, and TooLarge."""
    message = read_message(sent.body)
    found = rules()
    agent = sent.headers.get("user-agent", "")[:MAX_AGENT]
    if not is_counted(sent.headers, agent, sent.address, found):
        return []
    sender = salts().visitor(sent.address, agent)
    events = events_of(
        message,
        at=time.time(),
        own_host=own_host(settings.BASE_URL),
        kept=found.kept_parameters,
        secrets=found.secrets,
        visitor=sender.today,
        formerly=sender.yesterday,
        device=device_of(agent).value,
        country=country_of(sent.headers, found.country_header),
    )
    return [event for event in events if is_counted_event(event, found)]


def country_of(headers: Mapping[str, str], name: str) -> str:
    """Return the country that a proxy has named in a header; none is named unless a setting says which header."""
    code = headers.get(name, "").strip().upper() if name else ""
    return code if len(code) == 2 and code.isascii() and code.isalpha() and code != "XX" else ""


@lru_cache(maxsize=4)
def own_host(base_url: str) -> str:
    """Return the host of the site."""
    return urlsplit(base_url).hostname or ""
