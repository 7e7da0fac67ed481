"""Calendar properties shared by all dates of an event: title, text, venue, categories, URL."""

from typing import Any

from icalendar import Event as VEvent
from icalendar import vUri

from cms_api.calendars.values import Position, Text, categories, clean
from cms_api.content.models import ContentType
from cms_api.content.selectors import terms_by_id
from cms_api.content.types import BASE
from cms_api.flags.selectors import site_country
from cms_api.text.addresses import address_lines
from cms_api.text.excerpts import shorten
from cms_api.text.html import strip_tags

from ..selectors.feeds import Event

DESCRIPTION_LENGTH = 1000


_PROSE = frozenset({"textarea", "richtext_tiptap"})


def describe(item_type: ContentType, event: Event) -> VEvent:
    """Return a VEVENT without a date, with BASE as a placeholder for the site's URL."""
    component = VEvent()
    component["SUMMARY"] = Text.of(event.title)
    url = f"{BASE.decode()}/{item_type.slug}/{event.slug}" if item_type.has_detail else ""
    texts = [clean(text) for text in (_read_text(item_type, event, "subtitle"), _prose(item_type, event)) if text]
    if texts or url:
        component["DESCRIPTION"] = Text("\n\n".join([*texts, *([url] if url else [])]))
    place = _first(item_type, event, "address", dict) or {}
    if where := ", ".join(filter(None, (_read_text(item_type, event, "venue"), *address_lines(place, home=site_country())))):
        component["LOCATION"] = Text.of(where)
    latitude, longitude = place.get("latitude"), place.get("longitude")
    if isinstance(latitude, int | float) and isinstance(longitude, int | float):
        component["GEO"] = Position((latitude, longitude))
    if names := _categories(item_type, event):
        component["CATEGORIES"] = categories(names)
    if url:
        component["URL"] = vUri(url)
    return component


def _read_text(item_type: ContentType, event: Event, key: str) -> str:
    """Return the value of the type's text field with this key."""
    has_it = any((field.key, field.type) == (key, "text") for field in item_type.schema)
    text = event.data.get(key) if has_it else None
    return text if isinstance(text, str) else ""


def _first(item_type: ContentType, event: Event, kind: str, python: type) -> Any:
    values = (event.data.get(field.key) for field in item_type.schema if field.type == kind)
    return next((value for value in values if value and isinstance(value, python)), None)


def _prose(item_type: ContentType, event: Event) -> str:
    if event.excerpt:
        return shorten(event.excerpt, DESCRIPTION_LENGTH)
    values = (event.data.get(field.key) for field in item_type.schema if field.type in _PROSE)
    text = next((value for value in values if value and isinstance(value, str)), "")
    return shorten(strip_tags(text[: DESCRIPTION_LENGTH * 20]), DESCRIPTION_LENGTH) if text else ""


def _categories(item_type: ContentType, event: Event) -> list[str]:
    terms = terms_by_id()
    ids = [pk for field in item_type.taxonomies for pk in event.data.get(field.key) or ()]
    return list(dict.fromkeys(terms[pk].name for pk in ids if pk in terms))
