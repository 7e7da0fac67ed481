"""Reads of the media library."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from hashlib import blake2b
from operator import or_
from typing import Any
from urllib.parse import quote, unquote

from django.apps import apps
from django.conf import settings
from django.core.files.storage import default_storage
from django.db.models import Exists, FileField, Q, QuerySet
from wagtail.models import Collection, CollectionViewRestriction, UploadedFile
from wagtail.permissions import policy_registry

from cms_api.core import versions
from cms_api.core.reading import ANY_ID, ANY_TEXT, Statement, compile_once
from cms_api.http.found import remember
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
        one: Statement = compile_once(
            "media.image", lambda: MediaImage.objects.filter(pk=ANY_ID).order_by().values_list(*_ADDRESS)
        )
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


@dataclass(frozen=True)
class Owner:
    """The record that names a file below the media root."""

    #: Of the image or file of the library; None for another record.
    media_id: int | None
    #: Whether any collection is private.
    asks: bool


def find_owner(path: str) -> Owner | None:
    """Return the record that names the file with this path below the media root; None if the file is of no record any more.

    A file that is left without its record may have been a private one. One statement for every file of the library.
    """
    values = {ANY_TEXT: path}
    named: Statement = compile_once("media.owner", lambda: _owners(Media.objects.filter(path=ANY_TEXT), "pk"))
    drawn: Statement = compile_once("media.drawn", lambda: _owners(Rendition.objects.filter(file=ANY_TEXT), "image_id"))
    first, second = (drawn, named) if path.startswith(VARIANTS) else (named, drawn)
    if row := first.first(values) or second.first(values):
        return Owner(*row)
    others: Statement = compile_once("media.other_owner", _other_owners)
    return Owner(None, asks=False) if others.first(values) else None


def _owners(found: QuerySet[Any], column: str) -> QuerySet[Any, Any]:
    return found.order_by().values_list(column, Exists(CollectionViewRestriction.objects.all()))


def _other_owners() -> QuerySet[Any, Any]:
    """Return the names of files of records outside the library, such as profile pictures."""
    first, *rest = (
        field.model._default_manager.filter(**{field.name: ANY_TEXT}).order_by().values_list(field.name)
        for field in other_files()
    )
    return first.union(*rest, all=True)


def other_files() -> list[FileField]:
    """Return the columns that name files below the media root, except those of the library."""
    fields = (field for field in file_fields() if field.storage is default_storage)
    return [field for field in fields if not issubclass(field.model, (Media, Rendition, UploadedFile))]


def file_fields() -> Iterator[FileField]:
    """Yield every column that names files, whatever storage they are in."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            yield from (field for field in model._meta.local_fields if isinstance(field, FileField))


def find_private(owner: Owner) -> MediaImage | MediaFile | None:
    """Return the image or file that names a file, or whose rendition it is, if its collection is private."""
    if owner.media_id is None or not owner.asks:
        return None
    models: tuple[Any, ...] = (MediaImage, MediaFile)
    queries = (model.objects.filter(pk=owner.media_id).select_related("collection") for model in models)
    found: MediaImage | MediaFile | None = next((media for query in queries if (media := query.first())), None)
    return found if found and found.collection.get_view_restrictions() else None


def may_see(user: Any, media: MediaImage | MediaFile) -> bool:
    """Return whether somebody works with a file in the admin, and so sees it whatever its collection asks of visitors."""
    policy = policy_registry.get_by_type(type(media))
    return bool(user.is_authenticated and policy.user_has_any_permission_for_instance(user, ["add", "change", "choose"], media))


def private_collections() -> tuple[int, ...]:
    """Return the ids of the private collections and of those inside them, cached until the library changes."""
    return versions.load_once(VERSION, _private_collections, slot="media.private_collections")


def _private_collections() -> tuple[int, ...]:
    paths = CollectionViewRestriction.objects.values_list("collection__path", flat=True)
    inside = [Q(path__startswith=path) for path in paths]
    return tuple(Collection.objects.filter(reduce(or_, inside)).values_list("pk", flat=True)) if inside else ()


def _outside(hidden: tuple[int, ...], found: QuerySet[Media]) -> QuerySet[Media]:
    """Leave out what is in private collections: it is shown to those whom its collection admits, and a token is none of them."""
    return found.exclude(Q(mediaimage__collection__in=hidden) | Q(mediafile__collection__in=hidden)) if hidden else found


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
    return _outside(private_collections(), Media.objects.filter(pk=media_id, kind__in=SHOWN)).first()


def find_row(media_id: int) -> tuple[Any, ...] | None:
    """Return the id and the COLUMNS of the record that `find_media` finds."""
    found = _outside(private_collections(), Media.objects.filter(pk=media_id, kind__in=SHOWN))
    return found.values_list("pk", *COLUMNS).first()


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
    #: Collections whose media are left out.
    hidden: tuple[int, ...] = field(default_factory=private_collections)

    def queryset(self) -> QuerySet[Media]:
        found = _outside(self.hidden, Media.objects.filter(kind__in=[self.kind] if self.kind else SHOWN))
        if self.category:
            found = found.filter(category__slug=self.category)
        return found.filter(_has_words(self.search)) if self.search else found

    def total(self) -> int:
        """Return the number of matches; counted once per version of the library."""
        return remember(VERSION, self, lambda: self.queryset().count())


def _has_words(search: str) -> Q:
    """Match every word anywhere in the name or the texts: names contain parts that are not words, such as `img_0815`."""
    found = Q()
    for word in fold(search).split()[:MAX_WORDS]:
        found &= Q(search_text__contains=word)
    return found
