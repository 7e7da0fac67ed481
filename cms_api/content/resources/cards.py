"""Items as cards in lists: a title, a picture, a short text and a date."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone

from cms_api.http import page_cache
from cms_api.text.excerpts import shorten
from cms_api.text.html import strip_tags

from ..models import ContentItem, ContentType
from ..selectors import item_tag, type_by_id
from .calendar_links import venue_of, without_tokens
from .moments import When, when
from .next_dates import pass_over_cancelled
from .pictures import Picture, featured_image, images_by_path, media_path, picture, prefetch_renditions

SUMMARY_LENGTH = 180

#: schema.org types of things that have no date, for which the publication date means little to visitors.
TIMELESS = frozenset({"LocalBusiness", "Organization", "Person", "Place", "Product", "Service"})


@dataclass(frozen=True)
class Card:
    title: str
    #: Empty if the type has no detail pages.
    url: str
    type: ContentType
    summary: str
    is_dated: bool
    published_at: datetime | None
    #: The date of the thing itself, if the type has a date field.
    when: When | None
    #: The name of the venue.
    venue: str
    picture: Picture | None
    #: The number of the drawing that replaces a missing picture.
    drawing: int


def make_cards(items: Iterable[ContentItem]) -> list[Card]:
    """Return cards of the items, with the renditions of all their pictures read in one statement."""
    listed = list(items)
    pass_over_cancelled(listed, timezone.now())
    for item in listed:
        item.type = type_by_id(item.type_id)
    images = _find_images(listed)
    prefetch_renditions(images.values(), "card")
    return [_make_card(item, images.get(item.pk)) for item in listed]


def _find_images(items: list[ContentItem]) -> dict[int, Any]:
    """Return the images of items by the id of the item: the featured one, else the first one of its fields (one statement)."""
    featured = {item.pk: image for item in items if (image := featured_image(item))}
    paths = {item.pk: path for item in items if item.pk not in featured and (path := _first_path(item))}
    images = images_by_path(paths.values())
    return featured | {pk: images[path] for pk, path in paths.items() if path in images}


def _first_path(item: ContentItem) -> str:
    """Return the path of the first image in the fields of an item below the media root; empty if there is none."""
    values = (item.data.get(field.key) for field in item.type.schema if field.type in {"image", "gallery"})
    texts = (text for value in values for text in (value if isinstance(value, list) else [value]) if isinstance(text, str))
    return next((path for text in texts if (path := media_path(text))), "")


def _make_card(item: ContentItem, image: Any) -> Card:
    item_type = item.type
    page_cache.shows(item_tag(item.pk))
    field = item_type.date_field
    return Card(
        title=item.title,
        url=reverse("item_detail", args=[item_type.slug, item.slug]) if item_type.has_detail else "",
        type=item_type,
        summary=summary_of(item, SUMMARY_LENGTH),
        is_dated=is_dated(item_type),
        published_at=item.published_at,
        when=when(item.data.get(field.key)) if field else None,
        venue=venue_of(item),
        # No alternative text: the title beside it is enough for screen readers.
        picture=picture(image, "card", alt="") if image else None,
        drawing=item.pk % 4,
    )


def is_dated(item_type: ContentType) -> bool:
    return item_type.schema_type not in TIMELESS


def lead_of(item: ContentItem) -> tuple[str, str]:
    """Return the lead and the key of its field: the excerpt, else the first textarea that precedes any rich text."""
    if item.excerpt:
        return item.excerpt, ""
    for field in item.type.schema:
        if field.type == "textarea" and isinstance(text := item.data.get(field.key), str) and text:
            return text, field.key
        if field.type == "richtext_tiptap":
            break
    return "", ""


def summary_of(item: ContentItem, length: int) -> str:
    """Return the excerpt, or else the beginning of the item's first prose."""
    text: Any = item.excerpt
    if not text:
        prose = (item.data.get(field.key) for field in item.type.schema if field.type in {"textarea", "richtext_tiptap"})
        text = next((each for each in prose if isinstance(each, str) and each), "")
        text = without_tokens(strip_tags(text[: length * 20]))
    return shorten(text, length)
