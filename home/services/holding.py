"""What pages, shared rows and the site's look hold of the media library, and what becomes of a picture's place when it goes."""

from collections.abc import Collection, Iterator
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.urls import reverse
from wagtail.admin.admin_url_finder import AdminURLFinder
from wagtail.blocks import StreamValue
from wagtail.models import Page, ReferenceIndex

from cms_api.media.models import Media
from cms_api.media.types import Reference

from ..models import PageImage, SharedRow, SiteLook
from .rows import end_pages_of


class Rows:
    """Rows as a holder of media; see `media.types.MediaHolder`."""

    def references(self, media: Media) -> list[Reference]:
        found = [
            Reference(holder_name(image.row), holder_address(image.row), "Set by an integration")
            for image in PageImage.objects.filter(media_id=media.pk).select_related("row__page", "row__shared_row")
        ]
        for record in _using(media):
            address = AdminURLFinder().get_edit_url(record) or ""
            labels = [label for value in _streams(record) for label in _slots(value, media.pk)]
            found += [Reference(str(record), address, label) for label in dict.fromkeys(labels)]
        for look in SiteLook.objects.filter(logo=media.pk):
            found.append(Reference(str(look), AdminURLFinder().get_edit_url(look) or "", "Logo"))
        return found

    def clear(self, media: Media) -> None:
        """Empties every place, in what is public and in the newest draft; integrations' pictures give way to the rows' own."""
        images = list(PageImage.objects.filter(media_id=media.pk).select_related("row"))
        PageImage.objects.filter(pk__in=[image.pk for image in images]).delete()
        end_pages_of([image.row for image in images])
        for record in _using(media):
            if _empty(record.rows, media.pk):
                record.save()
            _empty_draft(record, media.pk)
        for look in SiteLook.objects.filter(logo=media.pk):
            look.logo = None
            look.save()

    def refresh(self, media_ids: Collection[int]) -> None:
        """Pages name the pictures that they show, and end with them; nothing else is kept of a picture."""


HOLDER = Rows()


def holder_name(row: Any) -> str:
    return str(row.page or row.shared_row)


def holder_address(row: Any) -> str:
    if row.page_id:
        return reverse("wagtailadmin_pages:edit", args=[row.page_id])
    return AdminURLFinder().get_edit_url(row.shared_row) or ""


def _using(media: Media) -> Iterator[Any]:
    """Pages and shared rows that may hold the picture: those that are known to, and those that have a draft."""
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
    """The labels of the slots that hold the picture."""
    for child in value:
        for slot, part in child.block.bound_slots(child.value):
            if (chosen := part.get(slot.field)) and chosen.pk == media_id:
                yield f"{child.block.label}: {slot.label}"


def _empty(value: StreamValue, media_id: int) -> bool:
    """Takes the picture out of a stream; whether it was there."""
    emptied = False
    for child in value:
        for slot, part in child.block.bound_slots(child.value):
            if (chosen := part.get(slot.field)) and chosen.pk == media_id:
                part[slot.field] = None
                emptied = True
    return emptied


def _empty_draft(record: Any, media_id: int) -> None:
    """The newest revision is what a person goes on from: it must not bring back what is gone."""
    draft = _draft(record)
    if draft is not None and _empty(draft.rows, media_id):
        revision = record.latest_revision
        revision.content = draft.serializable_data()
        revision.save(update_fields=["content"])
