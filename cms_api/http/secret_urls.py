"""Addresses that are secrets, such as the links in emails: how they are declared, answered, and left out of what is stored.

A secret in a URL pattern has the converter `secret`, as in `orders/<secret:token>`. Everything else follows from that.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar
from urllib.parse import unquote

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import ResolverMatch, URLPattern, URLResolver, get_resolver

from cms_api.text.keyboards import drop_invisible

R = TypeVar("R", bound=HttpResponseBase)

_SECRET = "<secret:"
_PART = re.compile(r"<(?:\w+:)?(\w+)>")
#: The signature of Django's signing is at least this long. It is looked for from the beginning of a part of a path alone: from
#: each character, a long text would take the square of its length.
_SIGNED = re.compile(r"(?<![^\s/?#&=])[^\s/?#&=]*:[A-Za-z0-9_-]{27,}")
#: A key: 32 random bytes in URL-safe base64, or 32 or more letters and digits, as in links to reset passwords. A slug is neither.
#: The routes of features that are off are no routes, and their links still have to be recognized.
_KEY = re.compile(
    r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32,}",
    re.ASCII,
)
_HIDDEN = "<token>"
#: Wagtail serves every page by one route, which also has the addresses at which there is nothing.
PAGES = "wagtail_serve"
#: A path anywhere in a text, after the host if there is one.
_PATH = re.compile(r"((?:https?:)?//[^\s/<>\"'()\[\]]+)?(/[^\s<>\"'()\[\]]+)", re.IGNORECASE)
#: The end of what Django makes for links to reset passwords: a line may end in the link before it.
_RESET = re.compile(r"-[0-9a-f]{32}(?![0-9a-z])", re.IGNORECASE)
_ADDRESS = re.compile(r"://|\bwww\.|\w@\w", re.IGNORECASE)


def is_secret(match: ResolverMatch | None) -> bool:
    """Return whether a URL pattern has a secret."""
    return match is not None and _SECRET in match.route


def looks_secret(request: HttpRequest) -> bool:
    """Return whether an address without a route of its own looks as if it had a secret: of a link that was cut or lengthened."""
    match = request.resolver_match
    has_route = match is not None and match.view_name != PAGES
    return not has_route and _NO_ROUTES.hide(request.path_info) != request.path_info


def keep_secret(response: R) -> R:
    """Keep a response out of caches and search engines, and its URL out of the logs of whatever its page leads to."""
    response.headers["Cache-Control"] = "no-store, private"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    # With no referrer at all, browsers would not send the form's origin either, which protects from forged requests.
    has_form = b"csrfmiddlewaretoken" in getattr(response, "content", b"")
    response.headers["Referrer-Policy"] = "same-origin" if has_form else "no-referrer"
    return response


@dataclass(frozen=True)
class _Route:
    #: The beginning, up to the first part that varies.
    start: str
    matches: re.Pattern[str]
    #: The route as reports and logs show it.
    shown: str


class SecretRoutes:
    """The routes with secrets among some routes, such as `/orders/<secret:token>`; see `routes_of`.

    In all other paths, what looks like a signed token or a key is a secret too.
    """

    def __init__(self, routes: Iterable[str] = ()) -> None:
        found = (_read(route) for route in routes if _SECRET in route)
        self._routes = sorted(found, key=lambda route: -len(route.start))
        self._starts = tuple({route.start for route in self._routes})

    def hide(self, path: str) -> str:
        """Return the path of a page without its secrets: a secret route itself, else as it is."""
        read = re.sub("/{2,}", "/", _unquote(path))
        if read.lower().startswith(self._starts):
            for route in self._routes:
                if route.matches.fullmatch(read):
                    return route.shown
            for route in self._routes:
                if read.lower().startswith(route.start) and read.strip("/").lower() != route.start.strip("/"):
                    return route.start + _HIDDEN
        hidden = _KEY.sub(_HIDDEN, hide_tokens(read))
        return path if hidden == read else hidden

    def hide_in(self, text: str) -> str:
        """Return a text without the secrets of the links in it, or of what is left of them."""
        hidden = _PATH.sub(lambda found: (found[1] or "") + self.hide(found[2]), text)
        return _RESET.sub(_HIDDEN, hide_tokens(hidden))

    def has_address(self, text: str) -> bool:
        """Return whether a text that somebody has entered has a web or email address in it, a secret route, or a token."""
        read = drop_invisible(_unquote(text))
        if _ADDRESS.search(read) or hide_tokens(read) != read:
            return True
        words = [word for word in read.split() if "/" in word]
        # With and without a host before the path.
        paths = {f"/{path}" for word in words for path in (word, word.partition("/")[2])}
        return any(self.hide(path) != path for path in paths)


_NO_ROUTES = SecretRoutes()


def hide_tokens(text: str) -> str:
    """Return text without what looks like a signed token."""
    return _SIGNED.sub(_HIDDEN, text)


def routes_of(patterns: Iterable[Any], before: str = "/") -> Iterator[str]:
    """Yield the routes of URL patterns."""
    for each in patterns:
        if isinstance(each, URLResolver):
            yield from routes_of(each.url_patterns, before + str(each.pattern))
        elif isinstance(each, URLPattern):
            yield before + str(each.pattern)


@cache
def all_routes() -> SecretRoutes:
    """Return those of the whole installation."""
    return SecretRoutes(routes_of(get_resolver().url_patterns))


def _read(route: str) -> _Route:
    parts = _PART.split(route)
    expression = "".join("[^/]+" if number % 2 else re.escape(part) for number, part in enumerate(parts)).rstrip("/")
    return _Route(parts[0].lower(), re.compile(f"{expression}/?", re.IGNORECASE), _PART.sub(r"<\1>", route))


def _unquote(path: str) -> str:
    """Return a path as a browser shows it, also if it was quoted twice."""
    for _ in range(3):
        read = unquote(path)
        if read == path:
            break
        path = read
    return path
