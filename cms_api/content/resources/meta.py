"""What a page tells search engines and social networks of itself.

Each kind of page has a function that makes its `meta`: `of_item`, `of_list`, and for pages outside this module `of_page` and
`of_home`. The base template completes it and writes it down (`components/meta.html`), linked data included.
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

from ..models import ContentItem, ContentType, Term
from ..selectors import visible_types
from . import linked_data
from .cards import shorten
from .linked_data import DESCRIPTION_LENGTH, Step, absolute, address_of, description_of
from .pictures import picture

_NUMBER = re.compile("[1-9][0-9]{0,8}")

Meta = Mapping[str, Any]


def of_item(item: ContentItem, featured: Any) -> Meta:
    """`featured` is the library image that the item features, or None."""
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
        "linked_data": [linked_data.of_item(item, pictured["image"]), linked_data.breadcrumbs(trail)],
    }


def of_list(item_type: ContentType, term: Term | None, number: int, *, searched: bool) -> Meta:
    """Results of a search stay out of the engines' indexes; pages of a list are addresses of their own."""
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


def of_page(
    *,
    title: str,
    path: str,
    description: str = "",
    featured: Any = None,
    above: Iterable[Step] = (),
    modified: datetime | None = None,
    unlisted: bool = False,
) -> Meta:
    """A page of the site; `above` are the pages between it and the home page, `unlisted` keeps it out of the engines' indexes."""
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


def of_home(*, title: str = "", description: str = "", featured: Any = None) -> Meta:
    """The home page, which says who the site is. Without a title of its own it bears the site's name."""
    feeds = [_feeds(item_type)[0] for item_type in visible_types().values() if item_type.has_detail]
    return {
        "title": title,
        "description": shorten(description, DESCRIPTION_LENGTH),
        "url": absolute("/"),
        **_picture(featured),
        "kind": "website",
        "feeds": feeds,
        "linked_data": [linked_data.of_site()],
    }


def completed(meta: Meta, request: HttpRequest | None) -> Meta:
    """A page's `meta`, or that of a page which gives none, with the page's language and at least its address."""
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
    """The feeds that a reader can be pointed to, Atom first."""
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
    """The address of a request; of its query only the number of a page makes another page."""
    number = request.GET.get("page", "")
    counts = _NUMBER.fullmatch(number) and number != "1"
    return absolute(escape_uri_path(request.path)) + (f"?page={number}" if counts else "")


def _locale() -> str:
    """The page's language with a territory, as Open Graph wants it: `en_US`."""
    return locale.normalize(to_locale(get_language() or settings.LANGUAGE_CODE)).partition(".")[0]
