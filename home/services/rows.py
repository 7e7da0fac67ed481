"""Updates the stored rows when their page or shared row is saved, and invalidates the pages that show them."""

import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from wagtail.blocks import StreamValue

from cms_api.core import versions
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.locks import get_row
from cms_api.media.services.library import lock_images
from cms_api.rows import RowBlock

from ..models import PageImage, Row, SharedRow
from ..selectors import PAGES, TREE, page_tag, shared_row_tag
from ..types import SHARED, new_row_slug
from .search import index_pages_with

T = TypeVar("T")

#: Attempts to find a free random slug before the failure must have another cause.
TRIES = 10


@transaction.atomic
def save_shared_row(shared_row: SharedRow, save: Callable[[], None]) -> None:
    """Save a shared row and invalidate every page that embeds it."""
    settle(shared_row.rows)
    save()
    compile_rows(shared_row.rows, shared_row=shared_row)
    index_pages_with(shared_row)
    versions.bump(PAGES, tags=[shared_row_tag(shared_row.pk)])


@transaction.atomic
def delete_shared_row(shared_row: SharedRow, delete: Callable[[], T]) -> T:
    """Delete a shared row; pages that embedded it show nothing in its place."""
    tags = [shared_row_tag(shared_row.pk)]
    deleted = delete()
    versions.bump(PAGES, tags=tags)
    return deleted


def settle(value: StreamValue) -> None:
    """Fix the ids of a stream's parts: read from raw data, parts without a stored id would get a new one at each reading."""
    # Once read, the values are stored as they were read.
    list(value)


def compile_rows(value: StreamValue, **owner: Any) -> None:
    """Store the rows of a page or shared row: their order, slugs and slots.

    An image that an editor has newly chosen replaces the one set by an integration: the later choice counts.
    """
    stored = {row.block_id: row for row in Row.objects.select_for_update().filter(**owner)}
    standing = set()
    for position, child in enumerate(value):
        block_id = uuid.UUID(child.id)
        standing.add(block_id)
        row = stored.get(block_id)
        compiled = _compile(child.block, child.value)
        embeds = child.value.get("row") if child.block_type == SHARED else None
        if row is None:
            _create(block_id=block_id, kind=child.block_type, position=position, slots=compiled, embeds=embeds, **owner)
        elif (row.position, row.slots, row.embeds_id) != (position, compiled, embeds.pk if embeds else None):
            _drop_replaced_images(row, compiled)
            row.position, row.slots, row.embeds = position, compiled, embeds
            row.save(update_fields=["position", "slots", "embeds"])
    gone = [row.pk for block_id, row in stored.items() if block_id not in standing and row.position is not None]
    if gone:
        Row.objects.filter(pk__in=gone).update(position=None)


def _compile(block: RowBlock, value: Any) -> list[dict[str, Any]]:
    """Return the slots of a row, as `Row.slots` stores them."""
    return [
        {
            "key": slot.key,
            "label": slot.label,
            "default": slot.default,
            "recommended": slot.recommended,
            "alt_key": slot.alt_key or None,
            "media_id": chosen.pk if (chosen := part.get(slot.field)) else None,
            "alt": (part.get(slot.alt_key) or "") if slot.alt_key else "",
        }
        for slot, part in block.bound_slots(value)
    ]


def _drop_replaced_images(row: Row, compiled: Sequence[dict[str, Any]]) -> None:
    before = {slot["key"]: slot["media_id"] for slot in row.slots}
    changed = [slot["key"] for slot in compiled if slot["key"] in before and slot["media_id"] != before[slot["key"]]]
    if changed:
        PageImage.objects.filter(row=row, key__in=changed).delete()


def _create(*, kind: str, **values: Any) -> Row:
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                return Row.objects.create(kind=kind, slug=new_row_slug(kind), **values)
        except IntegrityError:
            continue
    raise IntegrityError(f"No slug is free for a row of the kind {kind!r}.")


@transaction.atomic
def set_page_image(
    *, row: Row, key: str, media_id: int | None, alt: str | None = None, alt_sent: bool = False
) -> PageImage | None:
    """Set the image of a row's slot, or reset the slot to the row's own image. Return what is set now, or None.

    An alternative text belongs to its image: another image without a text of its own gets the library's text.
    Raises Invalid (`media_id`) if the library has no such image.
    """
    if media_id is not None and not lock_images([media_id]):
        raise Invalid({"media_id": invalid_choice("media_id")})
    row = get_row(Row.objects.select_for_update(), row.pk)
    image = PageImage.objects.filter(row=row, key=key).first()
    kept = image.alt if image and image.media_id == media_id else None
    wanted = (alt or None) if alt_sent else kept
    if media_id is None and wanted is None:
        PageImage.objects.filter(row=row, key=key).delete()
        image = None
    else:
        image, _ = PageImage.objects.update_or_create(row=row, key=key, defaults={"media_id": media_id, "alt": wanted})
    invalidate_pages([row])
    return image


def invalidate_pages(rows: Sequence[Row]) -> None:
    """Invalidate the public pages that show the rows."""
    tags = {shared_row_tag(row.shared_row_id) if row.shared_row_id else page_tag(row.page_id or 0) for row in rows}
    versions.bump(PAGES, tags=tags)


def invalidate_tree() -> None:
    """Invalidate everything that shows which pages exist and their names."""
    versions.bump(PAGES, TREE)
