"""The lines that requests write to the log: one for each answer, and the id of the request in every other."""

import logging
import re
import secrets
import time
from contextvars import ContextVar
from dataclasses import dataclass, field

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from cms_api.http.secret_urls import PAGES, all_routes, hide_tokens

logger = logging.getLogger("cms_api.requests")

_ACCEPTED_ID = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)


@dataclass(slots=True)
class RequestFacts:
    """The request that this thread answers, for the log. `route` and `token_id` are known once it is dispatched.

    Messages of pages that are accepted are quiet: they have no line, as there is one for each page and more.
    """

    request_id: str
    route: str = ""
    token_id: int | None = None
    is_quiet: bool = False
    started: float = field(default_factory=time.perf_counter)


_current: ContextVar[RequestFacts] = ContextVar("request")


def request_id(sent: str) -> str:
    """Return the id of a request: the client's own if it is usable."""
    return sent if _ACCEPTED_ID.fullmatch(sent) else secrets.token_hex(12)


def begin(request_id: str) -> RequestFacts:
    facts = RequestFacts(request_id)
    _current.set(facts)
    return facts


def current() -> RequestFacts:
    return _current.get()


class RequestIdFilter(logging.Filter):
    """Adds `request_id` to lines that are written while a request is answered."""

    def filter(self, record: logging.LogRecord) -> bool:
        facts = _current.get(None)
        if facts is not None:
            record.request_id = facts.request_id
        return True


class SecretFilter(logging.Filter):
    """Hides the secrets of links where lines name the path of a request, as those of Django do."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(hide_secrets(each) if isinstance(each, str) else each for each in record.args)
        return True


def log_answer(facts: RequestFacts, request: HttpRequest, response: HttpResponseBase) -> None:
    """Write the line of a request, with its route rather than its URL: links in emails are secret."""
    if not settings.LOG_REQUESTS or facts.is_quiet:
        return
    values = {
        "method": request.method,
        "route": facts.route or _route(request),
        "status": response.status_code,
        "milliseconds": round((time.perf_counter() - facts.started) * 1000, 1),
        "token_id": facts.token_id,
    }
    logger.info("%(method)s %(route)s %(status)s in %(milliseconds)s ms", values, extra=values)


def _route(request: HttpRequest) -> str:
    match = request.resolver_match
    # Only pages of Wagtail and from the cache, files and unknown URLs have none of their own.
    return hide_secrets(request.path) if match is None or match.view_name == PAGES else f"/{match.route}"


def hide_secrets(text: str) -> str:
    """Return a path, or other text, without the secrets of links."""
    return hide_tokens(all_routes().hide(text) if text.startswith("/") else text)
