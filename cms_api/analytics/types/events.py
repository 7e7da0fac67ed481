"""Events of visitors: how they are read from a page's message, and what is stored of them. No database access."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import orjson
from django.db.models import TextChoices

from cms_api.core.errors import BadRequest, TooLarge
from cms_api.http.page_messages import MAX_MESSAGE_BYTES
from cms_api.http.secret_urls import SecretRoutes, hide_tokens

from .sources import Source, source_of

#: A visit ends after this time without an event.
VISIT_ENDS = timedelta(minutes=30)
MAX_PATH = 500
#: Paths are in an index of PostgreSQL, whose rows are limited.
MAX_PATH_BYTES = 1_200
MAX_TITLE = 200
MAX_SEARCH = 100
#: The beginning of what is entered, which is looked at.
MAX_READ_CHARACTERS = 500
#: Stands for a value with an address in it.
HIDDEN = "<token>"
MAX_COUNTRY = 2
#: Seconds that can be spent on a page.
MAX_PAGE_SECONDS = 4 * 3600
#: Views of one visit; what comes after them is a flood, and is not stored.
MAX_EVENTS = 500
#: The page of the site's search, and its parameter.
SEARCH_PATH, SEARCH_NAME = "/search", "q"
NO_SECRETS = SecretRoutes()


class Kind(TextChoices):
    VIEW = "view", "Page view"
    #: An address at which there is no page.
    MISSING = "missing", "Page not found"
    SEARCH = "search", "Search"
    GOAL = "goal", "Conversion"
    #: How long a page was looked at so far; not stored by itself.
    TIME = "time", "Time on page"


#: The kinds that a page may send.
SENT = {Kind.VIEW, Kind.MISSING, Kind.TIME}


class Device(TextChoices):
    DESKTOP = "desktop", "Desktop"
    PHONE = "phone", "Phone"
    TABLET = "tablet", "Tablet"


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it waits to be stored. `uid` makes a repetition of the message recognisable."""

    uid: int
    kind: str
    #: Unix seconds.
    at: float
    #: The visitor by today's salt, and by yesterday's, under which a visit may have begun; 0 if unknown.
    visitor: int
    formerly: int = 0
    path: str = ""
    title: str = ""
    #: Of the visit, if this event begins one.
    source: str = ""
    medium: str = ""
    campaign: str = ""
    referrer: str = ""
    device: str = ""
    country: str = ""
    #: Of a search.
    words: str = ""
    #: Of a goal.
    goal: str = ""
    value_cents: int = 0
    currency: str = ""
    #: So far on the page of the view with the same uid.
    seconds: int = 0

    def as_line(self) -> bytes:
        """Return the event as a line of JSON, without what is empty."""
        return orjson.dumps({name: value for name in _NAMES if (value := getattr(self, name))}) + b"\n"


_NAMES = tuple(field.name for field in fields(Event))
_NUMBERS = frozenset(field.name for field in fields(Event) if field.type in {int, "int"})
#: Of events: no day after it can be computed with.
_LAST_AT = datetime(9999, 1, 1, tzinfo=UTC).timestamp()
_INT64 = range(-(2**63), 2**63)


class Unsound(ValueError):
    """A line has a value that no event has."""


def from_line(line: bytes) -> Event:
    """Return an event that `as_line` wrote. Raises Unsound, and ValueError or TypeError for what is no such line at all."""
    sent = orjson.loads(line)
    event = Event(**sent)
    if not all(_is_sound(name, value) for name, value in sent.items()):
        raise Unsound
    # A former version may have written it.
    return replace(event, path=hide_tokens(event.path)) if ":" in event.path else event


def _is_sound(name: str, value: Any) -> bool:
    """Return whether a value can be one of an event: a damaged or foreign line must not stop those after it."""
    if name == "at":
        return type(value) in {int, float} and 0 <= value < _LAST_AT
    return type(value) is int and value in _INT64 if name in _NUMBERS else type(value) is str


@dataclass(frozen=True, slots=True)
class Message:
    """The message of a page: the event without its sender."""

    kind: Kind
    uid: int
    #: Of the page, with its query.
    address: str = ""
    referrer: str = ""
    title: str = ""
    seconds: int = 0


def read_message(body: bytes) -> Message:
    """Return a page's message. Raises BadRequest, and TooLarge."""
    if len(body) > MAX_MESSAGE_BYTES:
        raise TooLarge
    try:
        sent = orjson.loads(body)
        kind = Kind(sent["n"])
        uid = int(sent["i"], 16)
        texts = [_text(sent.get(name)) for name in ("u", "r", "t")]
        seconds = sent.get("s", 0)
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        raise BadRequest("The message can't be read.") from None
    is_count = isinstance(seconds, int) and not isinstance(seconds, bool)
    if kind not in SENT or not 0 < uid < 2**63 or not is_count or seconds < 0:
        raise BadRequest("The message can't be read.")
    if kind != Kind.TIME and not texts[0]:
        raise BadRequest("The message has no address.")
    address, referrer, title = texts
    return Message(kind, uid, address, referrer, title, min(seconds, MAX_PAGE_SECONDS))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError
    return _printable(value).strip()


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(character for character in text if character.isprintable())


def events_of(
    message: Message,
    *,
    at: float,
    own_host: str,
    kept: frozenset[str] = frozenset(),
    secrets: SecretRoutes = NO_SECRETS,
    **sender: Any,
) -> list[Event]:
    """Return the events of a page's message: a view, and the search that it shows; none for pages of other hosts.

    `sender` are the other values of `Event`. `kept` are the query parameters that stay in paths, `secrets` the routes whose
    addresses and titles are not stored.
    """
    if message.kind == Kind.TIME:
        return [Event(uid=message.uid, kind=Kind.TIME.value, at=at, seconds=message.seconds, **sender)]
    # Many visitors see the same pages, but nobody may fill the memory with long addresses.
    is_short = len(message.address) + len(message.referrer) <= MAX_PATH
    page = (_page if is_short else _page.__wrapped__)(message.address, message.referrer, own_host, kept, secrets)
    if page is None:
        return []
    source = page.source
    view = Event(
        uid=message.uid,
        kind=message.kind.value,
        at=at,
        path=page.path,
        title="" if page.is_secret else message.title[:MAX_TITLE],
        source=source.source,
        medium=source.medium,
        campaign=source.campaign,
        referrer=source.referrer,
        **sender,
    )
    if message.kind == Kind.VIEW and page.words:
        # Its uid is that of the view with another last bit, so that a repetition is recognised as well.
        return [view, replace(view, kind=Kind.SEARCH.value, uid=message.uid ^ 1, words=page.words)]
    return [view]


@dataclass(frozen=True, slots=True)
class _Page:
    """The page of an address. `words` are those of a search that it shows."""

    path: str
    words: str
    source: Source
    is_secret: bool


@lru_cache(maxsize=2_000)
def _page(address: str, referrer: str, own_host: str, kept: frozenset[str], secrets: SecretRoutes) -> _Page | None:
    """Return the page at an address; None if it is another host's."""
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").removeprefix("www.")
        query = dict(parse_qsl(parts.query, max_num_fields=100))
    except ValueError:
        return None
    if parts.scheme not in {"http", "https"} or host != own_host.removeprefix("www."):
        return None
    words = ""
    if parts.path.rstrip("/") == SEARCH_PATH:
        words = " ".join(_printable(query.get(SEARCH_NAME, "")[:MAX_READ_CHARACTERS]).split()).casefold()
    path = clean_path(parts.path, query, kept, secrets)
    # The title of a search repeats its words.
    is_secret = secrets.hide(parts.path) != parts.path or secrets.has_address(words) or HIDDEN in path
    return _Page(path, "" if is_secret else words[:MAX_SEARCH], source_of(query, referrer, own_host), is_secret)


def clean_path(path: str, query: Mapping[str, str], kept: frozenset[str], secrets: SecretRoutes = NO_SECRETS) -> str:
    """Return the path of a page as reports show it: readable, without its last slash, with only the `kept` parameters.

    A secret page has the path of its route.
    """
    values = {name: query[name][:MAX_READ_CHARACTERS] for name in sorted(kept & query.keys())}
    parameters = "&".join(f"{name}={HIDDEN if secrets.has_address(value) else value}" for name, value in values.items())
    whole = (unquote(secrets.hide(path)).rstrip("/") or "/") + (f"?{parameters}" if parameters else "")
    # The cut may go through a character.
    return _printable(whole)[:MAX_PATH].encode()[:MAX_PATH_BYTES].decode(errors="ignore") or "/"


def device_of(user_agent: str) -> Device:
    """Return the kind of device by the header alone."""
    if "iPad" in user_agent or "Tablet" in user_agent or ("Android" in user_agent and "Mobile" not in user_agent):
        return Device.TABLET
    return Device.PHONE if "Mobi" in user_agent else Device.DESKTOP


__all__ = [
    "Device",
    "Event",
    "Kind",
    "Message",
    "Source",
    "Unsound",
    "clean_path",
    "device_of",
    "events_of",
    "from_line",
    "read_message",
]
