"""Caches whole public pages in this process, with the versions and tags of the data they show.

A view opts in with `enable()`, and all data on the page is named with `shows`. Every hit is checked against the database, so a
change invalidates, on commit and in every process, exactly the pages that show it.
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

#: Memory per process for cached pages, in bytes; the least recently used are evicted first.
MEMORY_BYTES = 64 * 1024 * 1024
#: Shared caches and browsers may store a page, but must revalidate it each time.
REVALIDATED = "public, max-age=0, must-revalidate"
#: Response headers that are cached with a page.
CACHED_HEADERS = ("Content-Type", "Content-Disposition")


@dataclass
class Shown:
    """The dependencies of the page being rendered."""

    cacheable: bool = False
    versions: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    until: datetime | None = None


@dataclass
class Page:
    """A cached page and its dependencies."""

    body: bytes
    headers: Mapping[str, str]
    made_at: datetime
    versions: Mapping[str, int]
    tags: Mapping[str, int]
    until: datetime | None
    #: All versions when this page was last found valid; while none of them has changed, no tag has.
    good_for: Mapping[str, int]

    @property
    def size(self) -> int:
        return len(self.body) + 2000


_shown: ContextVar[Shown | None] = ContextVar("shown", default=None)
_pages: OrderedDict[str, Page] = OrderedDict()
_size = 0
_lock = threading.Lock()


def enable() -> None:
    """Declare that the page being rendered is the same for every signed-out visitor."""
    if page := _shown.get():
        page.cacheable = True


def shows(*tags: str) -> None:
    """Declare tags of records that the page being rendered shows, such as `item:7`."""
    if page := _shown.get():
        page.tags.update(tags)


def depends_on(*names: str) -> None:
    """Declare versions that the page being rendered depends on."""
    if page := _shown.get():
        page.versions.update(names)


def good_until(moment: datetime) -> None:
    """Declare when the page being rendered will change without any write."""
    if page := _shown.get():
        page.until = min(page.until or moment, moment)


def answer(request: HttpRequest, make: Callable[[HttpRequest], HttpResponseBase]) -> HttpResponseBase:
    """Return the cached page for a request, or call `make`; cache its page if it opted in and nothing was written meanwhile."""
    if not _is_anonymous(request):
        return make(request)
    key = f"{request.get_full_path_info()} {request.META.get('HTTP_HOST', '')} {request.is_secure()}"
    page = _find(key)
    if page is None:
        response, page = _make(request, make)
        if page is None:
            return response
        _store(key, page)
    if _is_current(request, page):
        return HttpResponse(status=304, headers=dict(page.headers))
    return HttpResponse(page.body, headers=dict(page.headers))


def _is_current(request: HttpRequest, page: Page) -> bool:
    """Return whether the client's copy is current. If it sent an ETag, only that counts; otherwise the date does."""
    if if_none_match := request.META.get("HTTP_IF_NONE_MATCH"):
        return wire.tag_matches(if_none_match, page.headers["ETag"])
    since = parse_http_date_safe(request.META.get("HTTP_IF_MODIFIED_SINCE", ""))
    return since is not None and since >= int(page.made_at.timestamp())


def clear() -> None:
    """Forget every page that this process has cached."""
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
    if not shown.cacheable or not isinstance(response, HttpResponse) or response.status_code != 200 or response.cookies:
        return response, None
    # Read the tags first: if no version has changed by the time the versions are read again, no tag had changed before either.
    tags = _tag_versions(shown.tags)
    versions.forget()
    if versions.snapshot() != before:
        return response, None
    body = response.content
    headers = {
        **{name: response.headers[name] for name in CACHED_HEADERS if name in response.headers},
        "Content-Length": str(len(body)),
        "Cache-Control": REVALIDATED,
        "Vary": "Cookie",
        "ETag": f'"{blake2b(body, digest_size=12).hexdigest()}"',
        # Not the date of the newest content: a page also changes when something is removed from it.
        "Last-Modified": http_date(made_at.timestamp()),
    }
    known = {name: before.get(name, 0) for name in shown.versions}
    return response, Page(body, headers, made_at, known, tags, shown.until, before)


def _tag_versions(tags: Iterable[str]) -> dict[str, int]:
    """Return the version of each tag, 0 for tags that have none."""
    return {**dict.fromkeys(tags, 0), **versions.tag_versions(tags)}


def _store(key: str, page: Page) -> None:
    global _size
    with _lock:
        if replaced := _pages.pop(key, None):
            _size -= replaced.size
        _pages[key] = page
        _size += page.size
        while _size > MEMORY_BYTES:
            _size -= _pages.popitem(last=False)[1].size


def _drop(key: str, page: Page) -> None:
    global _size
    with _lock:
        if _pages.get(key) is page:
            del _pages[key]
            _size -= page.size
