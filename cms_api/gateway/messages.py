"""Answers messages of pages' scripts many at a time, in a fraction of the time that each would take by itself.

The first message of a kind is answered by Django. The headers of its answer are those of all that are accepted, and only
messages that are refused pass the middleware again: what it decides and adds depends on nothing but the kind.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from django.conf import settings

from cms_api.auth.selectors import client_address
from cms_api.core import registry, versions
from cms_api.flags.selectors import is_on
from cms_api.http.page_messages import PageMessage

from . import logs

Headers = list[tuple[str, str]]
Answer = tuple[int, Headers, bytes]
Environ = dict[str, Any]
Kind = tuple[str | None, ...]

#: In the environment of a request whose snapshot of versions was made when it had arrived. No header has such a name.
HAS_SNAPSHOT = "cms.has_snapshot"
#: In the environment of a message that was given to its beacon: the error with which it is refused, or None.
REFUSAL = "cms.refusal"
#: Kinds that are remembered: a site has few hosts, but a setting may allow any.
MOST_KINDS = 100
_REQUEST_ID = "X-Request-Id"
#: Headers of a proxy that say how the client has asked.
_FORWARDED = ("x-forwarded-proto", "x-forwarded-host", "x-forwarded-port")


class ArrivedMessage(Protocol):
    """A message as the server hands it over."""

    path: str
    scheme: str
    #: The address at the other end of the connection.
    peer: str
    #: By name in lower case; None if some were sent twice.
    headers: Mapping[str, str] | None
    body: bytes

    def environ(self) -> Environ:
        """Return the environment of a WSGI request."""


class MessageAnswers:
    """Answers messages together; `answer_alone` answers a WSGI request by Django, with all middleware."""

    def __init__(self, answer_alone: Callable[[Environ], Answer]) -> None:
        self._answer_alone = answer_alone
        #: The headers of the answer to an accepted message, without its id, by kind.
        self._accepted: dict[Kind, Headers] = {}
        secure = settings.SECURE_PROXY_SSL_HEADER
        own = (secure[0].removeprefix("HTTP_").lower().replace("_", "-"),) if secure else ()
        self._forwarded = (*_FORWARDED, *own)

    def answer_all(self, messages: Sequence[ArrivedMessage]) -> list[Answer]:
        """Return the answers in the order of the messages, which share a snapshot of versions."""
        versions.forget()
        kinds = [self._kind(message) for message in messages]
        by_path = defaultdict(list)
        for place, (message, kind) in enumerate(zip(messages, kinds, strict=True)):
            if kind in self._accepted:
                by_path[message.path].append(place)
        refusals: dict[int, Exception | None] = {}
        for path, places in by_path.items():
            refusals.update(zip(places, _take(path, [messages[place] for place in places]), strict=False))
        return [
            self._accept(message, kind)
            if place in refusals and refusals[place] is None
            else self._answer(message, kind, {REFUSAL: refusals[place]} if place in refusals else {})
            for place, (message, kind) in enumerate(zip(messages, kinds, strict=True))
        ]

    def _kind(self, message: ArrivedMessage) -> Kind:
        """Return what decides about a message before it is read, and is added to its answer; nothing for an unusual one."""
        headers = message.headers
        if headers is None:
            return ()
        return (message.path, message.scheme, headers.get("host"), *[headers.get(name) for name in self._forwarded])

    def _accept(self, message: ArrivedMessage, kind: Kind) -> Answer:
        sent = (message.headers or {}).get("x-request-id", "")
        return 204, [(_REQUEST_ID, logs.request_id(sent)), *self._accepted[kind]], b""

    def _answer(self, message: ArrivedMessage, kind: Kind, known: Environ) -> Answer:
        status, headers, body = self._answer_alone({**message.environ(), HAS_SNAPSHOT: True, **known})
        if status == 204 and kind:
            if len(self._accepted) >= MOST_KINDS:
                self._accepted.clear()
            self._accepted[kind] = [(name, value) for name, value in headers if name != _REQUEST_ID]
        return status, headers, body


def _take(path: str, messages: Sequence[ArrivedMessage]) -> list[Exception | None]:
    """Give messages to the beacon of their path; return nothing if there is none, as its feature is off."""
    module, beacon = registry.beacons()[path]
    try:
        if not is_on(module.feature):
            return []
        return beacon([page_message(each.peer, each.headers or {}, each.body) for each in messages])
    except Exception as problem:
        return [problem] * len(messages)


def page_message(peer: str, headers: Mapping[str, str], body: bytes) -> PageMessage:
    return PageMessage(client_address(peer, headers.get("x-forwarded-for", "")), headers, body)
