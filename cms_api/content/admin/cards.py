"""Cards of content items on the admin home."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from cms_api.adminkit.cards import LOOK_AHEAD, Card, Kind, Step, latest_changes

from ..models import ContentItem
from ..selectors import item_counts, type_by_id, visible_types
from ..types import Status
from .access import visible_items
from .menu import types_elsewhere
from .urls import add_url, edit_url

#: Maximum number of scheduled items, and of types with a button.
SHOWN_ITEMS = 5
TYPE_BUTTONS = 3


def show_scheduled(request: HttpRequest) -> Iterator[Card]:
    """Yield cards of the items that are published next (one statement)."""
    found = (
        visible_items()
        .filter(status=Status.SCHEDULED, published_at__lt=timezone.now() + LOOK_AHEAD)
        .only("title", "type_id", "published_at")
    )
    for item in found.order_by("published_at", "pk")[:SHOWN_ITEMS]:
        item_type = type_by_id(item.type_id)
        yield Card(
            item.title,
            edit_url(item.pk),
            Kind.UPCOMING,
            text=f"{item_type.name}, scheduled to be published",
            icon=item_type.icon,
            at=item.published_at,
        )


def show_changed(request: HttpRequest) -> Iterator[Card]:
    """Yield cards of the most recently changed items (two statements)."""
    changes = latest_changes(ContentItem)
    for item in visible_items().filter(pk__in=changes).only("title", "type_id", "status"):
        at, person = changes[item.pk]
        item_type = type_by_id(item.type_id)
        yield Card(
            item.title,
            edit_url(item.pk),
            Kind.CHANGED,
            text=f"{item_type.name} \N{MIDDLE DOT} {person}" if person else item_type.name,
            icon=item_type.icon,
            status="" if item.status == Status.PUBLISHED else Status(item.status).label,
            at=at,
        )


def create(request: HttpRequest) -> Iterator[Card]:
    """Yield cards that create items of the most used types (one statement)."""
    counts = item_counts()
    types = [found for found in visible_types().values() if found.slug not in types_elsewhere()]
    types.sort(key=lambda found: (-counts.get(found.pk, 0), found.name.lower()))
    for item_type in types[:TYPE_BUTTONS]:
        yield Card(item_type.name, add_url(item_type), Kind.CREATE, icon=item_type.icon)
    if types[TYPE_BUTTONS:]:
        yield Card("Other content", reverse("content_items:add"), Kind.CREATE, icon="plus")


def write_first_item(request: HttpRequest) -> Step:
    return Step(
        "Write the first content item",
        reverse("content_items:add"),
        "Blog posts, services, projects, or your own content types.",
        done=ContentItem.objects.exists(),
        order=50,
    )
