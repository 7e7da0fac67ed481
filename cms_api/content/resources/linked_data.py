"""Items and pages as schema.org JSON-LD objects, and the URLs and texts that these share with `meta`."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.translation import get_language

from cms_api.flags.selectors import get_setting, site_timezone

from ..models import ContentItem, ContentType
from .calendar_links import venue_of
from .cards import TIMELESS, summary_of
from .moments import when

_CONTEXT = {"@context": "https://schema.org"}
_ARTICLES = frozenset({"Article", "BlogPosting", "NewsArticle", "Report", "TechArticle"})
DESCRIPTION_LENGTH = 160

LinkedData = dict[str, Any]
#: A page's name and its path.
Step = tuple[str, str]


def for_item(item: ContentItem, image: str) -> LinkedData:
    """Return an item as its schema.org type; `image` is the URL of its picture, or empty."""
    kind = item.type.schema_type or "WebPage"
    found: LinkedData = {
        **_CONTEXT,
        "@type": kind,
        "name": item.title,
        "description": description_of(item),
        "url": address_of(item),
        "image": image,
    }
    if is_work(item.type):
        author = author_of(item)
        found |= {
            "author": {"@type": "Person", "name": author} if author else _organization(),
            "datePublished": _stamp(item.published_at),
            "dateModified": _stamp(item.updated_at),
            "inLanguage": get_language(),
        }
    if kind in _ARTICLES:
        found |= {"headline": item.title, "mainEntityOfPage": address_of(item), "publisher": _organization()}
    if kind.endswith("Event"):
        found |= _event(item)
    return {key: value for key, value in found.items() if value}


def for_site() -> LinkedData:
    """Return the organization that the site belongs to and the site's name, for the home page."""
    website = {
        "@type": "WebSite",
        "@id": absolute("/#website"),
        "name": site_name(),
        "url": absolute("/"),
        "inLanguage": get_language(),
        "publisher": {"@id": absolute("/#organization")},
    }
    return {**_CONTEXT, "@graph": [_organization(), website]}


def breadcrumbs(trail: Iterable[Step]) -> LinkedData:
    """Return the breadcrumbs from the home page to a page, which is the last step itself."""
    steps = [(site_name(), "/"), *trail]
    elements = [
        {"@type": "ListItem", "position": position, "name": name, "item": absolute(path)}
        for position, (name, path) in enumerate(steps, start=1)
    ]
    return {**_CONTEXT, "@type": "BreadcrumbList", "itemListElement": elements}


def author_of(item: ContentItem) -> str:
    """Return the author of an item, from a text field called `author` if the type has one."""
    field = next((each for each in item.type.schema if (each.key, each.type) == ("author", "text")), None)
    author = item.data.get(field.key) if field else None
    return author if isinstance(author, str) else ""


def is_work(item_type: ContentType) -> bool:
    """Return whether items are creative works in schema.org, which have authors and dates. Most of the types are."""
    return not (item_type.schema_type in TIMELESS or item_type.schema_type.endswith("Event"))


def site_name() -> str:
    return str(get_setting("site.name") or "")


def absolute(path: str) -> str:
    """Return a URL with the site's base URL prepended unless it is already absolute."""
    return path if path.startswith(("http://", "https://")) else settings.BASE_URL + path


def address_of(item: ContentItem) -> str:
    """Return an absolute URL, even for a preview whose item has no slug yet."""
    return absolute(f"/{item.type.slug}/{item.slug}")


def description_of(item: ContentItem) -> str:
    return item.meta_description or summary_of(item, DESCRIPTION_LENGTH)


def _organization() -> LinkedData:
    return {"@type": "Organization", "@id": absolute("/#organization"), "name": site_name(), "url": absolute("/")}


def _event(item: ContentItem) -> LinkedData:
    field = item.type.date_field
    shown = when(item.data.get(field.key)) if field else None
    if shown is None:
        return {}
    places = [place for each in item.type.schema if each.type == "address" and isinstance(place := item.data.get(each.key), dict)]
    return {
        "startDate": shown.start.iso,
        "endDate": shown.end.iso if shown.end else "",
        "eventStatus": "https://schema.org/" + ("EventCancelled" if shown.is_cancelled else "EventScheduled"),
        "location": _place(venue_of(item), places[0] if places else {}),
    }


def _place(venue: str, address: dict[str, Any]) -> LinkedData | None:
    names = {
        "streetAddress": "street",
        "addressLocality": "city",
        "addressRegion": "state",
        "postalCode": "postal_code",
        "addressCountry": "country",
    }
    lines = {name: address[key] for name, key in names.items() if address.get(key)}
    named = {"name": venue} if venue else {}
    addressed = {"address": {"@type": "PostalAddress", **lines}} if lines else {}
    return {"@type": "Place", **named, **addressed} if named or addressed else None


def _stamp(moment: datetime | None) -> str:
    return moment.astimezone(site_timezone()).isoformat(timespec="seconds") if moment else ""
