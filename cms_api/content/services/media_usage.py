"""Media usage of content items: finds where a file is used, and updates the items when it is deleted or changed."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from django.db.models import F, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.urls import reverse
from django.utils import timezone
from wagtail.models import ReferenceIndex, Revision

from cms_api.flags.selectors import is_on
from cms_api.media.selectors import media_path, paths_of
from cms_api.media.types import Reference, StoredFile
from cms_api.text.html import without_images
from cms_api.webhooks.services import emit

from ..models import ContentItem
from ..selectors import all_types, type_by_id
from ..types import Status
from . import projections
from .current import lock_type

#: Items that are locked and rewritten in one transaction.
BATCH = 200

_PATHS = ("image", "file", "gallery")
_TEXT = "richtext_tiptap"

Gone = Callable[[str], bool]


class ItemMediaUsage:
    """Media usage by content items; see `media.types.MediaUsage`."""

    def references(self, media: StoredFile) -> list[Reference]:
        gone = _match_gone(media)
        found = []
        for ids in _batches(_candidates(media)):
            for item in ContentItem.objects.filter(pk__in=ids).select_related("latest_revision").order_by("pk"):
                item.type = type_by_id(item.type_id)
                uses = [*_uses(item, media, gone), *_draft_uses(item, media, gone)]
                # Owned items are edited through their owner; those of a type whose feature is off are not edited at all.
                address = reverse("content_items:edit", args=[item.owner_id or item.pk]) if is_on(item.type.feature) else ""
                found += [Reference(item.title, address, use) for use in dict.fromkeys(uses)]
        return found

    def clear(self, media: StoredFile) -> None:
        gone = _match_gone(media)
        for ids in _batches(_candidates(media)):
            _clear(media, gone, ids)

    def refresh(self, media_ids: Collection[int]) -> None:
        """Mark the cached JSON of items that feature these pictures, which contains their URLs, to be rebuilt when read."""
        items = ContentItem.objects.filter(featured_media__in=media_ids)
        rows = list(items.select_for_update(no_key=True).order_by("pk").values_list("pk", "type_id"))
        for start in range(0, len(rows), BATCH):
            ContentItem.objects.filter(pk__in=[pk for pk, _ in rows[start : start + BATCH]]).update(cached_epoch=0)
        if rows:
            projections.invalidate({type_id for _, type_id in rows}, changed=[pk for pk, _ in rows], reordered=False)


MEDIA_USAGE = ItemMediaUsage()


def _match_gone(media: StoredFile) -> Gone:
    """Return a predicate for paths or URLs of the file, or of renditions made from it."""
    paths = paths_of(media)
    return lambda value: bool(value) and media_path(value) in paths


def _candidates(media: StoredFile) -> list[int]:
    """Return ids of items that feature the file or contain its path in their text: a superset of those that use it."""
    found = set(ContentItem.objects.filter(featured_media=media.pk).values_list("pk", flat=True))
    drafts = ContentItem.objects.filter(has_unpublished_changes=True)
    found |= set(drafts.filter(latest_revision__content__featured_media=media.pk).values_list("pk", flat=True))
    kinds = [each.pk for each in all_types().values() if any(field.type in {*_PATHS, _TEXT} for field in each.schema)]
    if media.path and kinds:
        items = ContentItem.objects.filter(type_id__in=kinds)
        found |= _containing(items, "data", media.path)
        found |= _containing(items.filter(has_unpublished_changes=True), "latest_revision__content", media.path)
    return sorted(found)


def _containing(items: QuerySet[ContentItem], column: str, path: str) -> set[int]:
    """Filter by the part of the path that renditions share, in every spelling that JSON may use for it."""
    stem = path.removeprefix("media/").rpartition(".")[0] or path
    stem = stem[:60]
    spellings = {stem, quote(stem), escape(stem), json.dumps(stem)[1:-1]}
    contains = Q()
    for spelling in spellings:
        contains |= Q(text__contains=spelling)
    return set(items.annotate(text=Cast(F(column), TextField())).filter(contains).order_by().values_list("pk", flat=True))


def _batches(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    return (ids[start : start + BATCH] for start in range(0, len(ids), BATCH))


def _clear(media: StoredFile, gone: Gone, ids: Sequence[int]) -> None:
    """Rewrite those of the items that use the file, and their drafts. The caller's transaction has locked the file's row."""
    for type_id in sorted(set(ContentItem.objects.filter(pk__in=ids).values_list("type_id", flat=True))):
        lock_type(type_id)
    items = list(ContentItem.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk"))
    changed = []
    for item in items:
        item.type = type_by_id(item.type_id)
        if list(_uses(item, media, gone)):
            _remove(item, media, gone)
            changed.append(item)
    _clear_revisions(items, media, gone)
    if not changed:
        return
    projections.cache_json(changed)
    columns = ["data", "featured_media", "updated_at", "listed_at", "cached_json", "cached_epoch"]
    ContentItem.objects.bulk_update(changed, columns, batch_size=100)
    for item in changed:
        projections.refresh(item)
        ReferenceIndex.create_or_update_for_object(item)
        emit("content_item.updated", item)
    projections.invalidate({item.type_id for item in changed}, changed=[item.pk for item in changed], reordered=False)


def _remove(item: ContentItem, media: StoredFile, gone: Gone) -> None:
    if item.featured_media_id == media.pk:
        item.featured_media = None
    item.data = _without(item, item.data, gone)
    item.updated_at = timezone.now()
    if item.status == Status.DRAFT or not item.published_at:
        item.listed_at = item.updated_at


def _clear_revisions(items: Sequence[ContentItem], media: StoredFile, gone: Gone) -> None:
    """Remove the file from the latest revisions, where editing continues: they must not bring it back."""
    by_revision = {item.latest_revision_id: item for item in items if item.latest_revision_id}
    changed = []
    for revision in Revision.objects.filter(pk__in=by_revision).order_by("pk"):
        item, content = by_revision[revision.pk], revision.content
        data = _without(item, content.get("data") or {}, gone)
        featured = content.get("featured_media")
        if data != (content.get("data") or {}) or featured == media.pk:
            revision.content = {**content, "data": data, "featured_media": None if featured == media.pk else featured}
            changed.append(revision)
    Revision.objects.bulk_update(changed, ["content"], batch_size=100)


def _uses(item: ContentItem, media: StoredFile, gone: Gone) -> Iterator[str]:
    if item.featured_media_id == media.pk:
        yield "Featured image"
    yield from _used_fields(item, item.data, gone)


def _draft_uses(item: ContentItem, media: StoredFile, gone: Gone) -> Iterator[str]:
    if not item.has_unpublished_changes or item.latest_revision is None:
        return
    content = item.latest_revision.content
    if content.get("featured_media") == media.pk:
        yield "Featured image"
    yield from _used_fields(item, content.get("data") or {}, gone)


def _used_fields(item: ContentItem, data: Mapping[str, Any], gone: Gone) -> Iterator[str]:
    after = _without(item, data, gone)
    yield from (field.label for field in item.type.schema if after.get(field.key) != data.get(field.key))


def _without(item: ContentItem, data: Mapping[str, Any], gone: Gone) -> dict[str, Any]:
    """Return the data without the file: neither in path fields nor as an image in rich text."""
    found = dict(data)
    for field in item.type.schema:
        value = data.get(field.key)
        if field.type in _PATHS and isinstance(value, str) and gone(value):
            found[field.key] = None
        elif field.type in _PATHS and isinstance(value, list):
            found[field.key] = [path for path in value if not (isinstance(path, str) and gone(path))]
        elif field.type == _TEXT and isinstance(value, str) and "<img" in value:
            found[field.key] = without_images(value, gone)
    return found
