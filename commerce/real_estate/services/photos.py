"""Copies the photos of listings into the library, one after the other as the module's queue, and deletes former ones."""

import hashlib
import secrets
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from io import BytesIO

from django.core.files.base import File
from django.db import transaction

from cms_api.core import batches, versions
from cms_api.core.errors import Invalid, TooLarge
from cms_api.core.leases import LOST, ours
from cms_api.core.queues import Failed, RowWork
from cms_api.media.selectors import find_media
from cms_api.media.services import library
from cms_api.media.types import MAX_UPLOAD_BYTES, PICTURES, SNIFFED_BYTES, SVG, StoredFile, sniff
from cms_api.outbound.fetching import FetchError, fetch

from ..models import Feed, Property, PropertyPhoto
from ..types.listings import VERSION

MAX_PHOTO_BYTES = min(MAX_UPLOAD_BYTES, 30 * 1024 * 1024)
TIMEOUT_SECONDS = 30
#: The delays after which a photo is attempted again; then it is left out, and attempted once more by an import a day later.
RETRY_DELAYS = (timedelta(minutes=5), timedelta(hours=1), timedelta(hours=6))
LEFT_OUT_FOR = timedelta(days=1)
#: Former photos that one run of the job deletes; the next run continues.
PHOTOS_PER_RUN = 500
#: The extensions by media type. Drawings are no photos.
_EXTENSIONS = {mime: extension for extension, mime in reversed(PICTURES.items()) if mime != SVG}


def replace_photos(feed: Feed, given: Mapping[int, tuple[tuple[str, ...], bool]], now: datetime) -> None:
    """Set the photos of listings: by id, their URLs, and whether photos at known URLs are to be copied again.

    Copies are kept until then. Called in the transaction of the import.
    """
    if not given:
        return
    known: dict[int, dict[str, PropertyPhoto]] = {pk: {} for pk in given}
    for photo in PropertyPhoto.objects.filter(listing__in=given).order_by("position"):
        if photo.listing_id is not None:
            known[photo.listing_id][photo.url] = photo
    changed = {pk: urls for pk, (urls, again) in given.items() if again or list(known[pk]) != list(urls)}
    if not changed:
        return
    new, former = [], []
    for pk, urls in changed.items():
        before = known[pk]
        for position, url in enumerate(urls):
            new.append(_photo(feed, pk, position, url, before.get(url), now, again=given[pk][1]))
        former += [
            PropertyPhoto(url=photo.url, image_id=photo.image_id)
            for url, photo in before.items()
            if photo.image_id and (url not in urls or not feed.copies_photos)
        ]
    PropertyPhoto.objects.filter(listing__in=changed).delete()
    PropertyPhoto.objects.bulk_create([*new, *former])


def _photo(
    feed: Feed, pk: int, position: int, url: str, before: PropertyPhoto | None, now: datetime, *, again: bool
) -> PropertyPhoto:
    photo = PropertyPhoto(listing_id=pk, position=position, url=url, is_linked=not feed.copies_photos)
    if feed.copies_photos:
        if before is not None:
            photo.image_id, photo.digest = before.image_id, before.digest
        photo.next_attempt_at = now if again or photo.image_id is None else None
    return photo


def try_again(feed: Feed, now: datetime) -> None:
    """Attempt photos once more that were left out a day ago: their host may have been away. Not those that kill their worker."""
    failed = PropertyPhoto.objects.filter(listing__feed=feed, is_linked=False, finished_at__lte=now - LEFT_OUT_FOR)
    waiting = failed.filter(next_attempt_at=None).exclude(error__in=["", LOST])
    if waiting.exists():
        waiting.update(**PropertyPhoto.values_to_requeue(failures=len(RETRY_DELAYS)))


def switch_copying(feed: Feed, now: datetime) -> None:
    """Copy the photos of a feed from now on, or link them."""
    photos = PropertyPhoto.objects.filter(listing__feed=feed)
    photos.update(is_linked=not feed.copies_photos, next_attempt_at=None)
    if feed.copies_photos:
        photos.filter(image=None).update(next_attempt_at=now)
    versions.bump(VERSION)


def move_photos(listings: Collection[int], now: datetime) -> None:
    """Have the copies of listings' photos stored anew: their names and texts tell an address that may no longer be shown.

    They are not shown until then. Called in the transaction of the import.
    """
    photos = PropertyPhoto.objects.filter(listing__in=listings, image__isnull=False)
    former = [PropertyPhoto(url=each.url, image_id=each.image_id, digest=each.digest) for each in photos]
    photos.update(image=None, next_attempt_at=now)
    PropertyPhoto.objects.bulk_create(former)


def _copy(row: PropertyPhoto) -> None:
    """Copy a photo. Raises Failed."""
    listing = Property.objects.filter(pk=row.listing_id or 0).first()
    if listing is None:
        return
    former = _find_moved(row)
    media = find_media(former.image_id) if former and former.image_id else None
    body = library.read_image(media=media) if media else b""
    try:
        body = body or fetch(row.url, headers={"Accept": "image/*"}, largest=MAX_PHOTO_BYTES, seconds=TIMEOUT_SECONDS).body
    except FetchError as problem:
        raise Failed(str(problem)) from None
    digest = hashlib.blake2b(body, digest_size=16).hexdigest()
    if row.image_id is not None and row.digest == digest:
        return
    extension = _EXTENSIONS.get(sniff(body[:SNIFFED_BYTES]) or "")
    if extension is None:
        raise Failed("The file is no photo.")
    title = f"{listing.title}, photo {row.position + 1}"
    try:
        # A name without data: the address of a listing may have to be hidden later.
        file = File(BytesIO(body), f"photo-{secrets.token_hex(8)}.{extension}")
        image = library.upload(file=file, title=title, alt=title[:255])
    except (Invalid, TooLarge) as refusal:
        raise Failed(refusal.message, final=True) from None
    if not _set_image(row, image, digest):
        library.delete_media(media=image)
    if former is not None:
        _clear(former)


def _find_moved(row: PropertyPhoto) -> PropertyPhoto | None:
    """Return the former copy of a photo that `move_photos` has taken from it, unless it is deleted already."""
    if row.image_id is not None or not row.digest:
        return None
    return PropertyPhoto.objects.filter(listing=None, url=row.url, digest=row.digest, image__isnull=False).first()


@transaction.atomic
def _set_image(row: PropertyPhoto, image: StoredFile, digest: str) -> bool:
    """Store the copy of a photo, if the listing still has it."""
    former = row.image_id
    if not ours(row).update(image=image.pk, digest=digest):
        return False
    if former is not None:
        PropertyPhoto.objects.create(url=row.url, image_id=former)
    versions.bump(VERSION)
    return True


COPYING = RowWork(PropertyPhoto, _copy, lease=timedelta(minutes=5), delays=RETRY_DELAYS)


def clear_former_photos() -> None:
    """Delete the copies of photos that no listing has any more, unless something else uses them. A periodic job."""
    batches.each(PropertyPhoto.objects.filter(listing=None).order_by("pk"), _clear, limit=PHOTOS_PER_RUN)


@transaction.atomic
def _clear(photo: PropertyPhoto) -> None:
    media = find_media(photo.image_id) if photo.image_id else None
    # Deleted first, as otherwise it would be a use of the file itself.
    photo.delete()
    if media is not None and not library.references(media=media):
        library.delete_media(media=media)
