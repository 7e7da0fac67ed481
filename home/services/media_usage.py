"""Media usage of pages, shared rows and the theme, and the cleanup when media are deleted."""

from collections.abc import Collection, Iterator
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db.models import Q
from django.urls import reverse
from wagtail.admin.admin_url_finder import AdminURLFinder
from wagtail.blocks import StreamValue
from wagtail.models import Page, ReferenceIndex

from cms_api.media.types import Reference, StoredFile

from ..models import PageImage, SharedRow, Theme
from .rows import invalidate_pages

#: The images of the theme, and their labels.
THEME_IMAGES = {"logo": "Logo", "favicon": "Favicon"}


class RowMediaUsage:
    """The `media_usage` of rows; see `media.types.MediaUsage`."""

    def references(self, media: StoredFile) -> list[Reference]:
        found = [
            Reference(owner_name(image.row), owner_address(image.row), "Set by an integration")
            for image in PageImage.objects.filter(media_id=media.pk).select_related("row__page", "row__shared_row")
        ]
        for record in _using(media):
            address = AdminURLFinder().get_edit_url(record) or ""
            labels = [label for value in _streams(record) for label in _slots(value, media.pk)]
            found += [Reference(str(record), address, label) for label in dict.fromkeys(labels)]
        for theme in Theme.objects.filter(Q(logo=media.pk) | Q(favicon=media.pk)):
            labels = [label for name, label in THEME_IMAGES.items() if getattr(theme, f"{name}_id") == media.pk]
            found += [Reference(str(theme), AdminURLFinder().get_edit_url(theme) or "", label) for label in labels]
        return found

    def clear(self, media: StoredFile) -> None:
        """Empty every slot, live and in the latest draft; images set by integrations are reset to the rows' own."""
        images = list(PageImage.objects.filter(media_id=media.pk).select_related("row"))
        PageImage.objects.filter(pk__in=[image.pk for image in images]).delete()
        invalidate_pages([image.row for image in images])
        for record in _using(media):
            if _empty(record.rows, media.pk):
                record.save()
            _empty_draft(record, media.pk)
        for theme in Theme.objects.filter(Q(logo=media.pk) | Q(favicon=media.pk)):
            for name in THEME_IMAGES:
                if getattr(theme, f"{name}_id") == media.pk:
                    setattr(theme, name, None)
            theme.save()

    def refresh(self, media_ids: Collection[int]) -> None:
        """Do nothing: pages depend on the tags of their images, and nothing else about an image is cached."""


MEDIA_USAGE = RowMediaUsage()


def owner_name(row: Any) -> str:
    return str(row.page or row.shared_row)


def owner_address(row: Any) -> str:
    if row.page_id:
        return reverse("wagtailadmin_pages:edit", args=[row.page_id])
    return AdminURLFinder().get_edit_url(row.shared_row) or ""


def _using(media: StoredFile) -> Iterator[Any]:
    """Yield pages and shared rows that may use the image: those in the reference index, and all pages with a draft."""
    known = ReferenceIndex.get_references_to(media)
    kinds = {SharedRow: set[int](), Page: set[int]()}
    for model, ids in kinds.items():
        rows = known.filter(base_content_type=ContentType.objects.get_for_model(model))
        ids.update(int(object_id) for object_id in rows.values_list("object_id", flat=True))
    yield from SharedRow.objects.filter(pk__in=kinds[SharedRow]).order_by("pk")
    drafts = Page.objects.filter(has_unpublished_changes=True).values_list("pk", flat=True)
    for page in Page.objects.filter(pk__in={*kinds[Page], *drafts}).order_by("pk").specific():
        if hasattr(page, "rows"):
            yield page


def _streams(record: Any) -> Iterator[StreamValue]:
    yield record.rows
    if draft := _draft(record):
        yield draft.rows


def _draft(record: Any) -> Any:
    revision = record.latest_revision if isinstance(record, Page) else None
    return revision.as_object() if revision else None


def _slots(value: StreamValue, media_id: int) -> Iterator[str]:
    """Yield the labels of the slots that contain the image."""
    for child in value:
        for slot, part in child.block.bound_slots(child.value):
            if (chosen := part.get(slot.field)) and chosen.pk == media_id:
                yield f"{child.block.label}: {slot.label}"


def _empty(value: StreamValue, media_id: int) -> bool:
    """Remove the image from a stream. Return whether it was there."""
    emptied = False
    for child in value:
        for slot, part in child.block.bound_slots(child.value):
            if (chosen := part.get(slot.field)) and chosen.pk == media_id:
                part[slot.field] = None
                emptied = True
    return emptied


def _empty_draft(record: Any, media_id: int) -> None:
    """Remove the image from the latest revision: editors continue from it, and it must not bring back a deleted image."""
    draft = _draft(record)
    if draft is not None and _empty(draft.rows, media_id):
        revision = record.latest_revision
        revision.content = draft.serializable_data()
        revision.save(update_fields=["content"])
