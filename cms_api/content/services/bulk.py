"""Bulk creation of items in one transaction: same rules and projections as `create_item`, in a handful of statements."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.models import Revision
from wagtail.search.backends import get_search_backend

from cms_api.webhooks.services import emit_all

from ..models import ContentItem, ContentType, ItemTerm
from . import projections
from .current import lock_type
from .values import assign, free_slug, lock_featured_media, slug_is_taken

#: Rows per statement.
BATCH = 200


@transaction.atomic
def create_items(*, item_type: ContentType, rows: Sequence[Mapping[str, Any]], user: Any = None) -> list[ContentItem]:
    """Create items of a type, for imports; `rows` are values as for `create_item`. All or nothing: raises Invalid."""
    now = timezone.now()
    for values in rows:
        lock_featured_media(values)
    item_type = lock_type(item_type.pk)
    items: list[ContentItem] = []
    slugs: set[str] = set()
    for values in rows:
        item = ContentItem(type=item_type, created_at=now)
        assign(item, values, now=now)
        if item.slug in slugs or slug_is_taken(item, item.slug):
            item.slug = free_slug(item, besides=slugs)
        slugs.add(item.slug)
        projections.set_dates(item)
        items.append(item)
    ContentItem.objects.bulk_create(items, batch_size=BATCH)
    revisions = _save_revisions(items, user)
    for item, revision in zip(items, revisions, strict=True):
        projections.stand(item, revision)
    projections.cache_json(items)
    ContentItem.objects.bulk_update(items, [*projections.STANDING_FIELDS, "cached_json", "cached_epoch"], batch_size=BATCH)
    _project(items)
    emit_all("content_item.created", items)
    projections.invalidate([item_type.pk])
    for item in items:
        projections.notify_saved(item, is_new=True)
    return items


def _save_revisions(items: Sequence[ContentItem], user: Any) -> list[Revision]:
    revisions = [projections.revision_of(item, user) for item in items]
    return Revision.objects.bulk_create(revisions, batch_size=BATCH)


def _project(items: Sequence[ContentItem]) -> None:
    ItemTerm.objects.bulk_create([row for item in items for row in projections.item_terms(item)], batch_size=BATCH)
    for item in items:
        projections.sync_links(item, new=True)
        projections.sync_unique_values(item, new=True)
    get_search_backend().add_bulk(ContentItem, items)
    projections.count((projections.standing(item), 1) for item in items)
