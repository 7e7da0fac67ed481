"""Whole public pages, kept in this process with the versions and tags of what they show.

A view that makes such a page says `keep()`, and whatever is put on the page names itself by `shows`. Every hit is checked
against the database, so that a change ends, with its commit and in every process, exactly the pages that show it.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.http import http_date, parse_http_date_safe

from cms_api.core import versions
from cms_api.http import wire

#: How much of a process's memory pages may take; those that were asked for longest ago go first.
MEMORY = 64 * 1024 * 1024
#: What a shared cache, or a browser, may do with a page: keep it, and ask each time whether it is still good.
FRESH = "public, max-age=0, must-revalidate"
#: What a page says of itself and a kept one goes on saying.
KEPT = ("Content-Type", "Content-Disposition")


@dataclass
class Shown:
    """What a page that is being made shows."""

    kept: bool = False
    versions: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    until: datetime | None = None


@dataclass
class Page:
    """A page as it was made, and what it was made of."""

    body: bytes
    headers: Mapping[str, str]
    made_at: datetime
    versions: Mapping[str, int]
    tags: Mapping[str, int]
    until: datetime | None
    #: Every version there was when this page was last found to be good; as long as none has moved, no tag has.
    good_for: Mapping[str, int]

    @property
    def size(self) -> int:
        return len(self.body) + 2000


_shown: ContextVar[Shown | None] = ContextVar("shown", default=None)
_pages: OrderedDict[str, Page] = OrderedDict()
_size = 0
_lock = threading.Lock()


def keep() -> None:
    """Says that the page being made is the same for every visitor who is not signed in."""
    if page := _shown.get():
        page.kept = True


def shows(*tags: str) -> None:
    """Names records that the page being made shows, such as `item:7`."""
    if page := _shown.get():
        page.tags.update(tags)


def depends_on(*names: str) -> None:
    """Names versions that the page being made depends on."""
    if page := _shown.get():
        page.versions.update(names)


def good_until(moment: datetime) -> None:
    """Says when the page being made will look different though nothing is written."""
    if page := _shown.get():
        page.until = min(page.until or moment, moment)


def answer(request: HttpRequest, make: Callable[[HttpRequest], HttpResponseBase]) -> HttpResponseBase:
    """The kept page for a request, or the one that `make` makes, kept if it says so and nothing was written meanwhile."""
    if not _is_anonymous(request):
        return make(request)
    key = f"{request.get_full_path_info()} {request.META.get('HTTP_HOST', '')} {request.is_secure()}"
    page = _find(key)
    if page is None:
        response, page = _make(request, make)
        if page is None:
            return response
        _store(key, page)
    if _is_held(request, page):
        return HttpResponse(status=304, headers=dict(page.headers))
    return HttpResponse(page.body, headers=dict(page.headers))


def _is_held(request: HttpRequest, page: Page) -> bool:
    """Whether the client has the page as it is. A tag tells it for certain; a date counts where none was sent."""
    if held := request.META.get("HTTP_IF_NONE_MATCH"):
        return wire.tag_matches(held, page.headers["ETag"])
    since = parse_http_date_safe(request.META.get("HTTP_IF_MODIFIED_SINCE", ""))
    return since is not None and since >= int(page.made_at.timestamp())


def clear() -> None:
    """Forgets every page that this process keeps."""
    global _size
    with _lock:
        _pages.clear()
        _size = 0


def _is_anonymous(request: HttpRequest) -> bool:
    has_session = settings.SESSION_COOKIE_NAME in request.COOKIES or "HTTP_AUTHORIZATION" in request.META
    return request.method in {"GET", "HEAD"} and not has_session


def _find(key: str) -> Page | None:
    with _lock:
        page = _pages.get(key)
        if page is None:
            return None
        _pages.move_to_end(key)
    if _is_good(page):
        return page
    _drop(key, page)
    return None


def _is_good(page: Page) -> bool:
    if page.until and page.until <= timezone.now():
        return False
    current = versions.snapshot()
    if current == page.good_for:
        return True
    if any(current.get(name, 0) != value for name, value in page.versions.items()):
        return False
    if page.tags and _tag_versions(page.tags) != page.tags:
        return False
    page.good_for = current
    return True


def _make(request: HttpRequest, make: Callable[[HttpRequest], HttpResponseBase]) -> tuple[HttpResponseBase, Page | None]:
    before = versions.snapshot()
    made_at = timezone.now()
    shown = Shown()
    token = _shown.set(shown)
    try:
        response = make(request)
    finally:
        _shown.reset(token)
    if not shown.kept or not isinstance(response, HttpResponse) or response.status_code != 200 or response.cookies:
        return response, None
    # The tags first: if no version has moved by the time these are read again, no tag had moved when it was read.
    tags = _tag_versions(shown.tags)
    versions.forget()
    if versions.snapshot() != before:
        return response, None
    body = response.content
    headers = {
        **{name: response.headers[name] for name in KEPT if name in response.headers},
        "Content-Length": str(len(body)),
        "Cache-Control": FRESH,
        "Vary": "Cookie",
        "ETag": f'"{blake2b(body, digest_size=12).hexdigest()}"',
        # Not the date of what is newest on it: a page changes also where something is taken away from it.
        "Last-Modified": http_date(made_at.timestamp()),
    }
    kept = {name: before.get(name, 0) for name in shown.versions}
    return response, Page(body, headers, made_at, kept, tags, shown.until, before)


def _tag_versions(tags: Iterable[str]) -> dict[str, int]:
    """The version of every one of the tags."""
    return {**dict.fromkeys(tags, 0), **versions.tag_versions(tags)}


def _store(key: str, page: Page) -> None:
    global _size
    with _lock:
        if replaced := _pages.pop(key, None):
            _size -= replaced.size
        _pages[key] = page
        _size += page.size
        while _size > MEMORY:
            _size -= _pages.popitem(last=False)[1].size


def _drop(key: str, page: Page) -> None:
    global _size
    with _lock:
        if _pages.get(key) is page:
            del _pages[key]
            _size -= page.size
