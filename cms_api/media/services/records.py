"""Saves images and files with everything derived from them, for every caller: API, admin, demo or test."""

from collections.abc import Callable, Collection, Iterator
from mimetypes import guess_type
from typing import Any

from django.core.files.base import File
from django.db import IntegrityError, transaction
from wagtail.utils.file import hash_filelike

from cms_api.core import registry, versions
from cms_api.core.not_found import NotFound
from cms_api.text.search import fold

from ..models import Media, MediaFile, MediaImage, Rendition
from ..selectors import VERSION, media_tag
from ..types import MediaUsage
from . import files, intake, naming
from .intake import ReceivedFile
from .sizes import SizedFile

#: A MediaImage or a MediaFile, which name their file and its metadata alike.
Record = Any

#: Attempts to claim a path; each after the first adds a random suffix.
PATH_TRIES = 5
#: The column of a rendition's path is short.
MAX_COPY_STEM = 50


def save(record: Record, write: Callable[[], None]) -> None:
    """Save a record by `write`, receiving its file first if that is not stored yet. Raises Invalid and TooLarge."""
    new = record._state.adding
    received = _receive(record)
    try:
        with transaction.atomic():
            if received:
                _store(record, received, write)
            else:
                _describe_stored(record)
                _fold_texts(record)
                write()
            invalidate([record.pk], new=new)
    finally:
        if received:
            received.close()


def _receive(record: Record) -> ReceivedFile | None:
    """Return the record's received file; None if it is stored already."""
    if not record.file or record.file.closed or record.file.name == record.path:
        return None
    content: File = record.file.file
    if isinstance(content, ReceivedFile):
        return content
    content.name = record.file.name
    types = intake.PICTURE_TYPES if isinstance(record, MediaImage) else intake.FILE_TYPES
    return intake.receive(content, types=types)


def _store(record: Record, received: ReceivedFile, write: Callable[[], None]) -> None:
    """Store a received file. The row claims the path before the file is written, so that of two writers one gets another path."""
    describe(record, received)
    record.name = received.name or ""
    _fold_texts(record)
    for attempt in range(PATH_TRIES):
        record.path = naming.stored_path(record.name, taken=attempt > 0)
        if attempt + 1 < PATH_TRIES and not _is_free(record.path):
            continue
        # Django takes the name from the file, and the file from the record.
        received.name = record.path.rpartition("/")[2]
        record.file = received
        try:
            with transaction.atomic():
                _write(record, write)
            break
        except IntegrityError:
            if not Media.objects.filter(path=record.path).exists():
                raise
    if record.file.name != record.path:
        record.path = record.file.name
        Media.objects.filter(pk=record.pk).update(path=record.path)
    if isinstance(record, MediaImage):
        store_copies(record, received)


def _is_free(path: str) -> bool:
    return not Media.objects.filter(path=path).exists() and files.is_free(path)


def _write(record: Record, write: Callable[[], None]) -> None:
    received_name = record.file.name
    try:
        write()
    finally:
        # Django gives a file that it has stored its path.
        if record.file.name != received_name:
            files.delete_on_rollback(record.file.name)


def describe(record: Record, received: ReceivedFile) -> None:
    """Set the metadata of a received file."""
    record.kind, record.mime_type, record.animated = received.kind.value, received.mime_type, received.animated
    record.size = record.file_size = received.size
    received.seek(0)
    record.file_hash = hash_filelike(received)
    received.seek(0)
    if received.width and received.height:
        record.width, record.height = received.width, received.height


def store_copies(image: MediaImage, received: ReceivedFile) -> None:
    """Store the variants as the renditions that Wagtail would create for their filters."""
    made = []
    stem = image.file.name.rpartition("/")[2].rpartition(".")[0][:MAX_COPY_STEM]
    for copy in received.copies:
        with copy.path.open("rb") as drawn:
            name = f"{stem}.w{copy.variant.width}.{copy.variant.format.lower()}"
            rendition = Rendition(image=image, filter_spec=copy.variant.spec, width=copy.width, height=copy.height)
            rendition.file.save(name, SizedFile(drawn, width=copy.width, height=copy.height), save=False)
        files.delete_on_rollback(rendition.file.name, rendition.file.storage)
        made.append(rendition)
    Rendition.objects.bulk_create(made)


def _describe_stored(record: Record) -> None:
    """Set the metadata of a file that was put into the storage by other means."""
    if record.path or not record.file:
        return
    record.path = record.file.name
    record.name = record.name or record.path.rpartition("/")[2]
    record.mime_type = guess_type(record.name)[0] or "application/octet-stream"
    is_video = naming.split(record.name)[1] in intake.VIDEOS
    record.kind = "image" if isinstance(record, MediaImage) else "video" if is_video else "file"
    try:
        record.size = record.file.size
    except OSError:
        record.size = 0


def _fold_texts(record: Record) -> None:
    record.search_text = fold(" ".join((record.name, record.alt, record.caption)))


def invalidate(ids: Collection[int], *, new: bool = False) -> None:
    """Invalidate everything that shows the media in processes, pages and clients; users of them are refreshed unless `new`."""
    if not new:
        for usage in media_usages():
            usage.refresh(ids)
    versions.bump(VERSION, tags=map(media_tag, ids))


def media_usages() -> Iterator[MediaUsage]:
    """Yield the `media_usage` of every installed module that declares one."""
    return (registry.load(module.records.media_usage) for module in registry.modules() if module.records.media_usage)


def lock(media: Media, *, to_delete: bool = False) -> Any:
    """Lock the image or file until the transaction ends and return its current state. Raises NotFound if it is gone.

    Unless `to_delete`, others may still add references to it meanwhile.
    """
    if not Media.objects.select_for_update(no_key=not to_delete).filter(pk=media.pk).values_list("pk").first():
        raise NotFound
    models: tuple[Any, ...] = (MediaImage, MediaFile)
    for model in models:
        if found := model.objects.filter(pk=media.pk).first():
            return found
    raise NotFound
