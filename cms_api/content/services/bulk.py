"""Bulk creation of items in one transaction: same rules and projections as `create_item`, in a handful of statements."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.models import Revision

from cms_api.core.writing import execute_as_one, insert, reserve_ids
from cms_api.webhooks.services import emit_all

from ..models import ContentItem, ContentType
from . import projections
from .current import lock_type
from .values import assign, free_slug, lock_featured_media, used_slugs


@transaction.atomic
def create_items(*, item_type: ContentType, rows: Sequence[Mapping[str, Any]], user: Any = None) -> list[ContentItem]:
    """Create items of a type, for imports; `rows` are values as for `create_item`. All or nothing: raises Invalid."""
    now = timezone.now()
    pictures = lock_featured_media(*rows)
    item_type = lock_type(item_type.pk)
    items: list[ContentItem] = []
    for values in rows:
        item = ContentItem(type=item_type, created_at=now)
        assign(item, values, now=now, pictures=pictures)
        projections.set_dates(item)
        items.append(item)
    _distinguish(items)
    revisions = _number(items, user)
    projections.cache_json(items, pictures)
    insert(items)
    insert(revisions)
    _project(items)
    emit_all("content_item.created", items)
    projections.invalidate([item_type.pk])
    for item in items:
        projections.notify_saved(item, is_new=True)
    return items


def _distinguish(items: Sequence[ContentItem]) -> None:
    """Give items whose slug is used, by a stored item or an earlier one of these, the next free one."""
    slugs = used_slugs(items)
    for item in items:
        if item.slug in slugs:
            item.slug = free_slug(item, besides=slugs)
        slugs.add(item.slug)


def _number(items: Sequence[ContentItem], user: Any) -> list[Revision]:
    """Give the items their ids, and return their first revisions."""
    revisions = []
    numbers = zip(items, reserve_ids(ContentItem, len(items)), reserve_ids(Revision, len(items)), strict=True)
    for item, item_id, revision_id in numbers:
        item.pk = item_id
        revision = projections.revision_of(item, user)
        revision.pk = revision_id
        projections.stand(item, revision)
        revisions.append(revision)
    return revisions


def _project(items: Sequence[ContentItem]) -> None:
    insert([row for item in items for row in projections.item_terms(item)])
    projections.note_pictures(items)
    for item in items:
        projections.sync_links(item, new=True)
        projections.sync_unique_values(item, new=True)
    for write in projections.search_entries(items):
        execute_as_one([write])
    projections.count((projections.standing(item), 1) for item in items)
