"""Metadata of pages for search engines and social networks.

Each kind of page has a function that returns its `meta`: `for_item`, `for_list`, and for pages outside this module `for_page` and
`for_home`. The base template completes and renders it (`components/meta.html`), including linked data.
"""

import locale
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.encoding import escape_uri_path
from django.utils.translation import get_language, to_locale

from cms_api.text.excerpts import shorten

from ..models import ContentItem, ContentType, Term
from ..selectors import visible_types
from . import linked_data
from .linked_data import DESCRIPTION_LENGTH, Step, absolute, address_of, description_of
from .pictures import picture

_NUMBER = re.compile("[1-9][0-9]{0,8}")

Meta = Mapping[str, Any]


def for_item(item: ContentItem, featured: Any) -> Meta:
    """Return the metadata of an item. `featured` is the library image that it features, or None."""
    address = address_of(item)
    pictured = _picture(featured)
    trail = [(item.type.name_plural, reverse("item_list", args=[item.type.slug])), (item.title, address)]
    return {
        "title": item.meta_title or item.title,
        "description": description_of(item),
        "url": address,
        **pictured,
        "kind": "article" if linked_data.is_work(item.type) else "website",
        "published": item.published_at,
        "modified": item.updated_at,
        "feeds": _feeds(item.type),
        "linked_data": [linked_data.for_item(item, pictured["image"]), linked_data.breadcrumbs(trail)],
    }


def for_list(item_type: ContentType, term: Term | None, number: int, *, searched: bool) -> Meta:
    """Return the metadata of a list. Search results are not indexed; each page of a list has its own canonical URL."""
    path = reverse("item_list", args=[item_type.slug])
    trail = [(item_type.name_plural, path)]
    if term:
        path = reverse("term_archive", args=[item_type.slug, term.taxonomy, term.slug])
        trail.append((term.name, path))
    title = f"{term.name}: {item_type.name_plural}" if term else item_type.name_plural
    return {
        "title": f"{title}, page {number}" if number > 1 else title,
        "description": shorten(item_type.description, DESCRIPTION_LENGTH),
        "url": absolute(path) + (f"?page={number}" if number > 1 else ""),
        "kind": "website",
        "unlisted": searched,
        "feeds": [*(_feeds(item_type, term) if term else []), *_feeds(item_type)],
        "linked_data": [linked_data.breadcrumbs(trail)],
    }


def for_page(
    *,
    title: str,
    path: str,
    description: str = "",
    featured: Any = None,
    above: Iterable[Step] = (),
    modified: datetime | None = None,
    unlisted: bool = False,
) -> Meta:
    """Return the metadata of a page; `above` are its ancestors below the home page, `unlisted` keeps it out of search engines."""
    return {
        "title": title,
        "description": shorten(description, DESCRIPTION_LENGTH),
        "url": absolute(path),
        **_picture(featured),
        "kind": "website",
        "modified": modified,
        "unlisted": unlisted,
        "linked_data": [linked_data.breadcrumbs([*above, (title, path)])],
    }


def for_home(*, title: str = "", description: str = "", featured: Any = None) -> Meta:
    """Return the metadata of the home page, which identifies the site. The title defaults to the site's name."""
    feeds = [_feeds(item_type)[0] for item_type in visible_types().values() if item_type.has_detail]
    return {
        "title": title,
        "description": shorten(description, DESCRIPTION_LENGTH),
        "url": absolute("/"),
        **_picture(featured),
        "kind": "website",
        "feeds": feeds,
        "linked_data": [linked_data.for_site()],
    }


def complete(meta: Meta, request: HttpRequest | None) -> Meta:
    """Return a page's `meta` (which may be empty) with the language and at least the URL filled in."""
    return {"url": _canonical(request) if request else "", "kind": "website", "locale": _locale(), **meta}


def _picture(featured: Any) -> dict[str, Any]:
    social = picture(featured, "social") if featured else None
    return {
        "image": absolute(social.src) if social else "",
        "image_alt": social.alt if social else "",
        "image_width": social.width if social else None,
        "image_height": social.height if social else None,
    }


def _feeds(item_type: ContentType, term: Term | None = None) -> list[dict[str, str]]:
    """Return the feeds to link to, Atom first."""
    if not item_type.has_detail:
        return []
    path = [item_type.slug, *([term.taxonomy, term.slug] if term else [])]
    name = f"{term.name}: {item_type.name_plural}" if term else item_type.name_plural
    found = [
        {
            "url": absolute(reverse(f"{'term' if term else 'type'}_{kind}", args=path)),
            "type": f"application/{kind}+xml",
            "title": f"{name} ({label})",
        }
        for kind, label in (("atom", "Atom"), ("rss", "RSS"))
    ]
    if item_type.date_field and not term:
        calendar = {"url": absolute(f"/calendar/{item_type.slug}.ics"), "type": "text/calendar", "title": f"{name} (calendar)"}
        found.append(calendar)
    return found


def _canonical(request: HttpRequest) -> str:
    """Return the canonical URL of a request, which keeps only the page number of its query."""
    number = request.GET.get("page", "")
    counts = _NUMBER.fullmatch(number) and number != "1"
    return absolute(escape_uri_path(request.path)) + (f"?page={number}" if counts else "")


def _locale() -> str:
    """Return the page's language with a territory, as Open Graph requires: `en_US`."""
    return locale.normalize(to_locale(get_language() or settings.LANGUAGE_CODE)).partition(".")[0]
