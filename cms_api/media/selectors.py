"""Reads of the media library."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, unquote

from django.conf import settings
from django.db.models import Q, QuerySet
from wagtail.models import CollectionViewRestriction

from cms_api.core.reading import ANY_ID, Statement, compiled
from cms_api.http.found import remembered
from cms_api.text.search import MAX_WORDS, fold

from .models import Category, Media, MediaFile, MediaImage, Rendition
from .types import SHOWN, StoredFile
from .types import VARIANTS as SIZES

#: Moves with every change of the library.
VERSION = "media"

#: The columns that the URL of an image is made from.
_ADDRESS = ("pk", "file", "updated_at")
#: The folder of the resized images, below the media root.
VARIANTS = "media/variants/"
#: The columns of an API record, after the id and the sort value.
COLUMNS = (
    *("kind", "name", "path", "mime_type", "size", "alt", "caption", "category__slug", "added_at", "updated_at"),
    *("mediaimage__width", "mediaimage__height", "mediafile__width", "mediafile__height"),
)

_NAMES_BY_SPEC = {variant.spec: variant.name for variant in SIZES}


def media_tag(media_id: int) -> str:
    """Return the tag of pages that show an image or file of the library."""
    return f"media:{media_id}"


def address_version(media_id: int, updated_at: datetime) -> str:
    """Return the `?v=` of a file's URL: it changes with each write."""
    return blake2b(f"{media_id} {updated_at.timestamp():.6f}".encode(), digest_size=5).hexdigest()


def address(path: str, *, version: str = "") -> str:
    """Return the site-relative URL of a file: `/media/media/2026/03/x.jpg?v=8c1f0a3b2d`."""
    return settings.MEDIA_URL + quote(path) + (f"?v={version}" if version else "")


def image_paths(ids: Iterable[int]) -> dict[int, str]:
    """Return site-relative URLs by id, for the images among the given media ids."""
    wanted = {media_id for media_id in ids if media_id}
    if not wanted:
        return {}
    if len(wanted) == 1:
        one: Statement = compiled("media.image", lambda: MediaImage.objects.filter(pk=ANY_ID).order_by().values_list(*_ADDRESS))
        return addresses(one.all({ANY_ID: wanted.pop()}))
    return addresses(MediaImage.objects.filter(pk__in=wanted).values_list(*_ADDRESS))


def addresses(rows: Iterable[tuple[int, str, datetime]]) -> dict[int, str]:
    """Return site-relative URLs by id, for rows of ids, files and times of the last change."""
    return {pk: address(name, version=address_version(pk, updated_at)) for pk, name, updated_at in rows}


def alternative_texts(ids: Iterable[int]) -> dict[int, str]:
    """Return alternative texts by id, for the images among the given media ids."""
    wanted = set(ids)
    return dict(MediaImage.objects.filter(pk__in=wanted).values_list("pk", "alt")) if wanted else {}


def paths_of(media: StoredFile) -> set[str]:
    """Return the paths of a file and of the renditions made from it."""
    renditions = Rendition.objects.filter(image_id=media.pk).values_list("file", flat=True)
    return {path for path in (media.path, *renditions) if path}


def private_document(path: str) -> MediaFile | None:
    """Return the document with this path below the media root, if its collection is private.

    As in Wagtail, a private collection protects its documents, not its images. One statement if no collection is private, and
    none for the image files that pages show most.
    """
    if path.startswith(VARIANTS) or not CollectionViewRestriction.objects.exists():
        return None
    document = MediaFile.objects.filter(file=path).select_related("collection").first()
    return document if document and document.collection.get_view_restrictions() else None


def media_path(value: str) -> str:
    """Return the path below the media root for the value of a field or an `<img>`; empty for an external URL."""
    path = value.removeprefix(settings.BASE_URL + settings.MEDIA_URL).partition("?")[0].partition("#")[0]
    if "://" in path:
        return ""
    # Files are in `media/` below MEDIA_URL `/media/`; some clients send the whole URL.
    path = path.removeprefix("/")
    return unquote(path.removeprefix("media/") if path.startswith("media/media/") else path)


def find_media(media_id: int) -> Media | None:
    """Return the media record with this id, if the API shows it."""
    return Media.objects.filter(pk=media_id, kind__in=SHOWN).first()


def find_row(media_id: int) -> tuple[Any, ...] | None:
    """Return the id and the COLUMNS of the record that `find_media` finds."""
    return Media.objects.filter(pk=media_id, kind__in=SHOWN).values_list("pk", *COLUMNS).first()


def find_category(slug: str) -> Category | None:
    return Category.objects.filter(slug=slug).first()


def variants(ids: Iterable[int]) -> dict[int, dict[str, str]]:
    """Return the files of the images' variants, by id and name (one statement)."""
    found: dict[int, dict[str, str]] = {}
    rows = Rendition.objects.filter(image_id__in=list(ids), filter_spec__in=_NAMES_BY_SPEC, focal_point_key="")
    for image_id, spec, path in rows.values_list("image_id", "filter_spec", "file"):
        found.setdefault(image_id, {})[spec] = path
    return {
        image_id: {name: paths[spec] for spec, name in _NAMES_BY_SPEC.items() if spec in paths}
        for image_id, paths in found.items()
    }


@dataclass(frozen=True)
class MediaFilter:
    """The filters of a media list."""

    kind: str | None = None
    category: str | None = None
    search: str | None = None

    def queryset(self) -> QuerySet[Media]:
        found = Media.objects.filter(kind=self.kind) if self.kind else Media.objects.filter(kind__in=SHOWN)
        if self.category:
            found = found.filter(category__slug=self.category)
        return found.filter(_has_words(self.search)) if self.search else found

    def total(self) -> int:
        """Return the number of matches; counted once per version of the library."""
        return remembered(VERSION, self, lambda: self.queryset().count())


def _has_words(search: str) -> Q:
    """Match every word anywhere in the name or the texts: names contain parts that are not words, such as `img_0815`."""
    found = Q()
    for word in fold(search).split()[:MAX_WORDS]:
        found &= Q(search_text__contains=word)
    return found
