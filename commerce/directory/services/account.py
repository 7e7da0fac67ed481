"""The forms of an account with their uploads: pictures are stored in the library for a listing, and not kept without one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.files.base import File
from django.db import transaction
from django.utils import timezone

from cms_api.core.errors import ErrorCollector, Invalid
from cms_api.core.locks import get_row
from cms_api.core.not_found import NotFound
from cms_api.media.selectors import find_media
from cms_api.media.services.intake import ReceivedFile, receive
from cms_api.media.services.library import delete_media, references, upload

from ..models import Listing, ListingChange
from ..types.listings import PICTURE_TYPES, ListingStatus
from .submitting import change_own_listing, submit_listing

#: A submission that repeats another one within this time is the same one, sent twice.
SAME_WITHIN = timedelta(minutes=10)
#: By these, two submissions are compared.
SAME_IN = ("name", "street", "city", "postal_code", "description")

#: The uploads of a form: `logo` and `cover` with at most one file, and `pictures`.
Uploads = Mapping[str, Sequence[File]]


def submit_with_pictures(*, user: Any, values: Mapping[str, Any], uploads: Uploads) -> Listing:
    """Create a listing of an account with its uploads; sent twice, it is created once. Must not be called in a transaction.

    Raises whatever `submit_listing` raises, and Invalid by the name of an upload.
    """
    with _store(uploads, alt=str(values.get("name") or ""), user=user) as ids, transaction.atomic():
        # Locked, so that a second submission waits for the first one.
        get_row(get_user_model()._default_manager.select_for_update(no_key=True), user.pk)
        found = _sent_before(user, values)
        listing = found or submit_listing(user=user, values={**values, **_references(ids, [])})
    if found:
        delete_unused(ids=[pk for each in ids.values() for pk in each], user=user)
    return listing


def change_with_pictures(
    *, listing: Listing, user: Any, values: Mapping[str, Any], uploads: Uploads, removed: Iterable[int] = ()
) -> ListingChange | None:
    """Change a listing for its owner, and add and remove pictures (`removed`, ids). Must not be called in a transaction.

    Pictures that the owner uploaded are deleted from the library as soon as nothing uses them. Raises whatever
    `change_own_listing` raises, and Invalid by the name of an upload.
    """
    before = _images(listing)
    gone = set(removed)
    kept = [pk for pk in listing.pictures.values_list("media", flat=True) if pk not in gone]
    with _store(uploads, alt=listing.name, user=user) as ids:
        new = [pk for each in ids.values() for pk in each]
        ids["pictures"] = _without_copies(ids.get("pictures", ()), kept)
        changed = {**values, **_references(ids, kept)}
        if gone:
            changed.setdefault("pictures", kept)
        change = change_own_listing(listing=listing, user=user, values=changed)
    delete_unused(ids={*before, *new} - _images(Listing.objects.get(pk=listing.pk)), user=user)
    return change


def _without_copies(new: Sequence[int], kept: Sequence[int]) -> list[int]:
    """Return the new pictures without those that the listing has already, as after a form that is sent twice."""
    shown = {pk: getattr(getattr(find_media(pk), "mediaimage", None), "file_hash", "") for pk in (*kept, *new)} if new else {}
    return [pk for place, pk in enumerate(new) if shown[pk] not in {shown[each] for each in (*kept, *new[:place])}]


def _sent_before(user: Any, values: Mapping[str, Any]) -> Listing | None:
    same = {name: values.get(name) or "" for name in SAME_IN}
    recent = Listing.objects.filter(owner=user.pk, status=ListingStatus.PENDING, created_at__gt=timezone.now() - SAME_WITHIN)
    return recent.filter(**same).first()


def _images(listing: Listing) -> set[int]:
    return {pk for pk in (listing.logo_id, listing.cover_id, *listing.pictures.values_list("media", flat=True)) if pk}


def _references(ids: Mapping[str, Sequence[int]], kept: Sequence[int]) -> dict[str, Any]:
    """Return what stored uploads change in a listing."""
    single = {name: ids[name][0] for name in ("logo", "cover") if ids.get(name)}
    return {**single, **({"pictures": [*kept, *ids["pictures"]]} if ids.get("pictures") else {})}


@contextmanager
def _store(uploads: Uploads, *, alt: str, user: Any) -> Iterator[dict[str, list[int]]]:
    """Store files in the library and yield their ids by name; whatever fails afterwards, they are deleted again.

    All of them are received before the first one is stored, which takes no transaction. Raises Invalid by name.
    """
    received = _receive(uploads)
    ids: dict[str, list[int]] = {}
    stored: list[Any] = []
    try:
        for name, file in received:
            stored.append(upload(file=file, alt=alt, user=user))
            ids.setdefault(name, []).append(stored[-1].pk)
        yield ids
    except BaseException:
        for media in stored:
            delete_media(media=media)
        raise
    finally:
        for _, file in received:
            file.close()


def _receive(uploads: Uploads) -> list[tuple[str, ReceivedFile]]:
    errors, received = ErrorCollector(), []
    for name, files in uploads.items():
        for file in files:
            try:
                received.append((name, receive(file, types=PICTURE_TYPES)))
            except Invalid as refusal:
                errors.add(name, f"{file.name}: {refusal.message}")
    try:
        errors.raise_if_any()
    except Invalid:
        for _, each in received:
            each.close()
        raise
    return received


def delete_unused(*, ids: Iterable[int], user: Any) -> None:
    """Delete those of some pictures that the account uploaded and nothing uses."""
    for pk in ids:
        media = find_media(pk)
        image = getattr(media, "mediaimage", None)
        if media is None or image is None or image.uploaded_by_user_id != user.pk or references(media=media):
            continue
        try:
            delete_media(media=media)
        except NotFound:
            continue
