"""What a page tells search engines and social networks of itself."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse

from cms_api.flags.selectors import site_timezone

from ..models import ContentItem, ContentType, Term
from .cards import shorten, summary_of
from .moments import when
from .pictures import picture

_ARTICLES = frozenset({"Article", "BlogPosting", "NewsArticle", "Report", "TechArticle"})
DESCRIPTION_LENGTH = 160

Meta = Mapping[str, Any]


def of_item(item: ContentItem, featured: Any) -> Meta:
    social = picture(featured, "social") if featured else None
    return {
        "title": item.meta_title or item.title,
        "description": item.meta_description or summary_of(item, DESCRIPTION_LENGTH),
        "url": _address(item),
        "image": _absolute(social.src) if social else "",
        "image_alt": social.alt if social else "",
        "image_width": social.width if social else None,
        "image_height": social.height if social else None,
        "kind": "article",
        "published": item.published_at,
    }


def of_list(item_type: ContentType, term: Term | None, number: int, *, searched: bool) -> Meta:
    """Results of a search stay out of the engines' indexes; pages of a list are addresses of their own."""
    path = (
        reverse("term_archive", args=[item_type.slug, term.taxonomy, term.slug])
        if term
        else reverse("item_list", args=[item_type.slug])
    )
    title = f"{term.name}: {item_type.name_plural}" if term else item_type.name_plural
    return {
        "title": f"{title}, page {number}" if number > 1 else title,
        "description": shorten(item_type.description, DESCRIPTION_LENGTH),
        "url": _absolute(path) + (f"?page={number}" if number > 1 else ""),
        "kind": "website",
        "unlisted": searched,
    }


def linked_data(item: ContentItem, featured: Any) -> dict[str, Any]:
    """The item in schema.org's words, as a JSON-LD object."""
    kind = item.type.schema_type or "WebPage"
    social = picture(featured, "social") if featured else None
    found: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": kind,
        "name": item.title,
        "description": item.meta_description or summary_of(item, DESCRIPTION_LENGTH),
        "url": _address(item),
        "image": _absolute(social.src) if social else "",
        "datePublished": item.published_at.astimezone(site_timezone()).isoformat(timespec="seconds") if item.published_at else "",
    }
    if kind in _ARTICLES:
        found |= {
            "headline": item.title,
            "dateModified": item.updated_at.astimezone(site_timezone()).isoformat(timespec="seconds") if item.updated_at else "",
            "mainEntityOfPage": _address(item),
        }
    if kind.endswith("Event"):
        found |= _event(item)
    return {key: value for key, value in found.items() if value}


def _event(item: ContentItem) -> dict[str, Any]:
    field = item.type.date_field
    shown = when(item.data.get(field.key)) if field else None
    if shown is None:
        return {}
    places = [place for each in item.type.schema if each.type == "address" and isinstance(place := item.data.get(each.key), dict)]
    return {
        "startDate": shown.start.iso,
        "endDate": shown.end.iso if shown.end else "",
        "eventStatus": "https://schema.org/EventCancelled" if shown.is_cancelled else "",
        "location": _place(places[0]) if places else None,
    }


def _place(address: dict[str, Any]) -> dict[str, Any]:
    names = {
        "streetAddress": "street",
        "addressLocality": "city",
        "addressRegion": "state",
        "postalCode": "postal_code",
        "addressCountry": "country",
    }
    lines = {name: address[key] for name, key in names.items() if address.get(key)}
    return {"@type": "Place", "address": {"@type": "PostalAddress", **lines}}


def _address(item: ContentItem) -> str:
    """Absolute also where a preview's item has no slug yet."""
    return _absolute(f"/{item.type.slug}/{item.slug}")


def _absolute(path: str) -> str:
    return path if "://" in path else settings.BASE_URL + path
