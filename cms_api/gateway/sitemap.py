"""`/sitemap.xml`, joined from the sections that modules declare, and `/robots.txt`.

A sitemap that would be too long becomes an index of parts, so that no response is longer than a part.
"""

from collections.abc import Iterable
from datetime import datetime
from types import SimpleNamespace
from typing import Any
from xml.sax.saxutils import escape

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.core.paginator import EmptyPage
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from cms_api.core import registry
from cms_api.core.not_found import found_or_404
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import is_on
from cms_api.http import page_cache, wire

#: URLs per file; search engines accept 50,000.
URLS_PER_FILE = 10_000

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
#: A URL and when its content was last changed.
Entry = tuple[str, datetime | None]

#: Not to be indexed: the admin, the API and search results.
DISALLOWED = ("/admin/", "/api/", "/*?q=", "/*&q=")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    page_cache.enable()
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in DISALLOWED), "", f"Sitemap: {_absolute(reverse('sitemap'))}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@require_safe
def whole(request: HttpRequest) -> HttpResponse:
    """Return every URL, or the index of the parts."""
    found = _sections()
    pages = {name: section.paginator for name, section in found.items()}
    if sum(paginator.count for paginator in pages.values()) <= URLS_PER_FILE:
        return _answer("urlset", "url", (entry for section in found.values() for entry in _entries(section, 1)))
    parts = (
        (_absolute(reverse("sitemap_part", args=[name, number])), changed)
        for name, section in found.items()
        if pages[name].count
        for changed in [section.get_latest_lastmod()]
        for number in pages[name].page_range
    )
    return _answer("sitemapindex", "sitemap", parts)


@require_safe
def part(request: HttpRequest, section: str, number: int) -> HttpResponse:
    found = found_or_404(_sections().get(section))
    try:
        return _answer("urlset", "url", _entries(found, number))
    except EmptyPage:
        raise Http404 from None


def _sections() -> dict[str, Sitemap]:
    """Return every section of the enabled modules, named after its module."""
    page_cache.enable()
    page_cache.depends_on(FLAGS)
    declared = [module for module in registry.modules() if module.pages.sitemap and is_on(module.feature)]
    found = {
        f"{module.name}-{name}": section for module in declared for name, section in registry.load(module.pages.sitemap)().items()
    }
    for section in found.values():
        section.limit = URLS_PER_FILE
    return found


def _entries(section: Sitemap, number: int) -> list[Entry]:
    protocol, _, domain = settings.BASE_URL.partition("://")
    site: Any = SimpleNamespace(domain=domain)
    return [(url["location"], url["lastmod"]) for url in section.get_urls(number, site=site, protocol=protocol)]


def _answer(root: str, element: str, entries: Iterable[Entry]) -> HttpResponse:
    """Build the XML by hand: Django's template takes most of a second for ten thousand URLs."""
    lines = [
        f"<{element}><loc>{escape(address)}</loc>" + (f"<lastmod>{wire.instant(at)}</lastmod>" if at else "") + f"</{element}>"
        for address, at in entries
    ]
    text = "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', f'<{root} xmlns="{NAMESPACE}">', *lines, f"</{root}>", ""])
    return HttpResponse(text, content_type="application/xml; charset=utf-8")


def _absolute(path: str) -> str:
    return settings.BASE_URL + path
