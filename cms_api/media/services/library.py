"""Uploads, edits, rotates and deletes media, each in one transaction that updates everything that shows them."""

from collections.abc import Collection
from typing import Any

from django.core.files.base import File
from django.db import connection, transaction

from cms_api.core import statements, versions
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.identifiers import MAX_ID
from cms_api.core.locks import get_row, lock_for_share

from ..models import Category, Media, MediaFile, MediaImage
from ..selectors import VERSION, addresses, find_category, image_paths, media_tag
from ..types import Kind, Reference
from . import files, intake, naming, records
from .intake import ReceivedFile

#: The texts that the API may set on a record.
TEXTS = ("alt", "caption")


def upload(
    *,
    file: File,
    alt: str | None = None,
    caption: str | None = None,
    category: str | None = None,
    title: str = "",
    user: Any = None,
) -> Media:
    """Create an image or video; `category` is a slug. Raises Invalid and TooLarge.

    A file that has not gone through `intake.receive` is received first; do not call this inside a transaction then.
    """
    received = file if isinstance(file, ReceivedFile) else intake.receive(file)
    try:
        title = title or naming.split(received.name or "")[0]
        values = {"title": title[:255], "alt": alt or "", "caption": caption or "", "uploaded_by_user": user}
        record: Any = MediaImage(**values) if received.kind == Kind.IMAGE else MediaFile(**values)
        with transaction.atomic():
            record.category = lock_category(category)
            record.file = received
            record.save()
    finally:
        received.close()
    return record


@transaction.atomic
def edit(*, media: Media, values: dict[str, Any]) -> Media:
    """Set whichever of alt, caption and category (a slug) was sent; null clears one. Raises Invalid."""
    record = records.lock(media)
    for name in TEXTS:
        if name in values:
            setattr(record, name, values[name] or "")
    if "category" in values:
        record.category = lock_category(values["category"])
    record.save()
    return record


def read_image(*, media: Media) -> bytes:
    """Return the content of an image; nothing if its file is gone. Raises NotFound."""
    image = get_row(MediaImage.objects.all(), media.pk)
    try:
        with image.open_file() as content:
            return bytes(content.read())
    except OSError:
        return b""


def rotate(*, media: Media, degrees: int) -> Media:
    """Rotate an image clockwise by 90, 180 or 270 degrees; its path stays, its URL changes. Raises Invalid and NotFound."""
    if degrees not in {90, 180, 270}:
        raise Invalid({"degrees": invalid_choice("degrees")})
    if media.kind != Kind.IMAGE:
        raise Invalid({"file": "Only images can be rotated."})
    while True:
        image = get_row(MediaImage.objects.all(), media.pk)
        with image.open_file() as content, intake.receive(File(content, image.name), degrees=degrees) as turned:
            if found := _replace(image, turned):
                return found


@transaction.atomic
def _replace(before: MediaImage, turned: ReceivedFile) -> MediaImage | None:
    """Replace the image's file; None if it has been replaced concurrently."""
    image: MediaImage = records.lock(before)
    if image.file_hash != before.file_hash:
        return None
    records.describe(image, turned)
    for rendition in image.renditions.all():
        rendition.delete()
    image.focal_point_x = image.focal_point_y = image.focal_point_width = image.focal_point_height = None
    image.save()
    records.store_copies(image, turned)
    turned.seek(0)
    files.replace_on_commit(image.file.name, turned)
    return image


@transaction.atomic
def delete_media(*, media: Media) -> None:
    """Delete an image or file: its row, its file and variants, and every reference to it across the site."""
    record = records.lock(media, to_delete=True)
    for usage in records.media_usages():
        usage.clear(record)
    record.delete_row()
    versions.bump(VERSION, tags=[media_tag(media.pk)])


def references(*, media: Media) -> list[Reference]:
    """Return every use of an image or file on the site."""
    return [found for usage in records.media_usages() for found in usage.references(media)]


def lock_category(slug: str | None) -> Category | None:
    """Return the category with this slug, locked against deletion; None for an empty slug. Raises Invalid (`category`)."""
    if not slug:
        return None
    category = find_category(slug)
    if category is None or not lock_for_share(Category, [category.pk]):
        raise Invalid({"category": invalid_choice("category")})
    return category


def lock_images(ids: Collection[int]) -> dict[int, str]:
    """Return site-relative URLs by id, for the images among these; they are not deleted before the caller's transaction ends.

    Call it before the rows that show the images are locked, as the deletion of an image locks in this order.
    """
    if not ids or connection.vendor != "postgresql":
        return image_paths(ids)
    with statements.cursor() as cursor:
        cursor.execute(_LOCK, [sorted(each for each in ids if each <= MAX_ID)])
        return addresses(cursor.fetchall())


#: Reads what `image_paths` does.
_LOCK = """
SELECT media.id, image.file, media.updated_at
FROM media_media media JOIN media_mediaimage image ON image.media_ptr_id = media.id
WHERE media.id = ANY(%s) ORDER BY media.id FOR KEY SHARE OF media
"""
