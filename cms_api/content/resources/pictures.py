"""Pictures on pages: renditions for several screen widths, with size and alternative text.

WebP only. AVIF of the same quality is a quarter smaller (2 to 4 kB per picture) but takes 2.5 to 6.5 times as long to encode
(58 to 164 ms per size): the first visitor of a list of twelve would wait two seconds longer.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Prefetch, prefetch_related_objects
from django.utils import timezone
from PIL import Image
from wagtail.images import get_image_model
from wagtail.images.models import Filter

from cms_api.core import versions
from cms_api.http import page_cache
from cms_api.media.selectors import VERSION, media_path, media_tag
from cms_api.media.services.storage import media_storage

from ..models import ContentItem

_WEBP = "|format-webp|webpquality-80"

#: Filter specs for each kind of picture, narrowest first.
KINDS = {
    "card": ("fill-480x300" + _WEBP, "fill-960x600" + _WEBP),
    "tile": ("fill-400x300" + _WEBP, "fill-800x600" + _WEBP),
    "wide": ("width-640" + _WEBP, "width-1120" + _WEBP, "width-1920" + _WEBP),
    "hero": ("fill-960x540" + _WEBP, "fill-1920x1080" + _WEBP),
    "half": ("fill-640x480" + _WEBP, "fill-1120x840" + _WEBP),
    # Twice its size in the header.
    "logo": ("max-480x96|format-webp-lossless",),
    # Of browser tabs, and of home screens.
    "icon": ("fill-64x64|format-png",),
    "touch-icon": ("fill-180x180|format-png",),
    "portrait": ("fill-240x240" + _WEBP, "fill-480x480" + _WEBP),
    "social": ("fill-1200x630|format-jpeg",),
}
_WIDTH = re.compile(r"width-(\d+)\|")
#: The largest width and height of WebP (https://developers.google.com/speed/webp/faq).
WEBP_MAX_PIXELS = 16_383
#: For how long pages are cached that lack a picture.
LOOKS_AGAIN_AFTER = timedelta(seconds=60)
#: Formats that can contain several frames, by Pillow's names.
_MOVING = ["AVIF", "GIF", "PNG", "WEBP"]
_SPECS = [spec for specs in KINDS.values() for spec in specs]
#: Pictures whose renditions a process knows without asking the database.
_CACHED_PICTURES = 4096


@dataclass(frozen=True)
class Picture:
    """The attributes of an `<img>`. Width and height are unknown for files outside the library."""

    src: str
    alt: str
    width: int | None = None
    height: int | None = None
    srcset: str = ""
    caption: str = ""
    #: The URL of the original upload.
    original: str = ""


@dataclass(frozen=True)
class _Drawn:
    """The renditions of an image in one of KINDS, and the names of their files."""

    src: str
    width: int
    height: int
    srcset: str
    original: str
    names: tuple[str, ...]


def featured_image(item: ContentItem) -> Any:
    """Return the library image that an item features, or None."""
    return getattr(item.featured_media, "mediaimage", None)


def prefetch_renditions(images: Iterable[Any], kind: str = "") -> None:
    """Read the renditions of many images in one statement; with a kind, only of those that are not known in it."""
    unknown = [image for image in images if not is_known(image, kind)]
    rendition = get_image_model().get_rendition_model()
    wanted = rendition.objects.filter(filter_spec__in=_SPECS)
    prefetch_related_objects(unknown, Prefetch("renditions", queryset=wanted, to_attr="prefetched_renditions"))


def is_known(image: Any, kind: str) -> bool:
    """Return whether this process knows the renditions of an image in one of KINDS."""
    return (image.pk, kind) in _get_known()


def _get_known() -> dict[tuple[int, str], _Drawn]:
    """Return the renditions that this process knows, by image and kind, until any media change."""
    return versions.load_once(VERSION, dict, slot="content.pictures")


def images_by_path(paths: Iterable[str]) -> dict[str, Any]:
    """Return library images by the path of their file below the media root (one statement)."""
    wanted = set(paths)
    return {image.file.name: image for image in get_image_model().objects.filter(file__in=wanted)} if wanted else {}


def picture(image: Any, kind: str, *, alt: str | None = None) -> Picture | None:
    """Return a library image in one of KINDS, or None if its file is missing or unreadable.

    SVG, animated and very high images are shown as uploaded; for social networks, the first frame of an animation is used.
    """
    page_cache.shows(media_tag(image.pk))
    if image.is_svg():
        # Social networks do not accept SVG.
        return _as_uploaded(image, alt) if kind != "social" else None
    try:
        drawn = None if _is_too_high(image, kind) else _find_or_draw(image, kind)
    except OSError:
        _look_again_soon()
        return None
    if drawn is None:
        return _as_uploaded(image, alt)
    return Picture(
        drawn.src,
        alt=image.alt if alt is None else alt,
        width=drawn.width,
        height=drawn.height,
        srcset=drawn.srcset,
        caption=image.caption,
        original=drawn.original,
    )


def _look_again_soon() -> None:
    """Let the page be made again soon: the file may be back by then, and the disk have room for what is drawn of it."""
    page_cache.good_until(timezone.now() + LOOKS_AGAIN_AFTER)


def _is_too_high(image: Any, kind: str) -> bool:
    """Return whether WebP can't store an image of KINDS that keep the shape."""
    widths = [int(found[1]) for spec in KINDS[kind] if (found := _WIDTH.match(spec))]
    return bool(widths) and image.height * min(max(widths), image.width) > WEBP_MAX_PIXELS * image.width


def _find_or_draw(image: Any, kind: str) -> _Drawn | None:
    """Return the renditions of an image, and create those that are missing; None for an animation. Raises OSError."""
    known = _get_known()
    drawn = known.get((image.pk, kind))
    if drawn is not None and not any(map(media_storage().is_known_missing, drawn.names)):
        return drawn
    found = _existing(image, kind)
    if len(found) < len(KINDS[kind]):
        if kind != "social" and _may_move(image.file.name) and _moves(image.pk, image.file.name):
            return None
        _draw_missing(image, kind, found)
    by_width = {each.width: each for each in found.values()}
    # Changed content is a new row, so browsers may cache a rendition forever. Social networks require a plain name.
    version = "?v={:x}" if kind != "social" else ""
    addresses = {width: each.url + version.format(each.pk) for width, each in sorted(by_width.items())}
    widest = max(by_width)
    srcset = ", ".join(f"{address} {width}w" for width, address in addresses.items()) if len(addresses) > 1 else ""
    names = tuple(each.file.name for each in found.values())
    drawn = _Drawn(addresses[widest], widest, by_width[widest].height, srcset, image.file.url, names)
    if len(known) >= _CACHED_PICTURES:
        known.clear()
    known[image.pk, kind] = drawn
    return drawn


def _as_uploaded(image: Any, alt: str | None) -> Picture | None:
    if media_storage().is_known_missing(image.file.name):
        _look_again_soon()
        return None
    address = image.file.url
    words = image.alt if alt is None else alt
    return Picture(address, words, image.width, image.height, caption=image.caption, original=address)


def _may_move(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in {".avif", ".gif", ".png", ".webp"}


@lru_cache(maxsize=4096)
def _moves(image_id: int, name: str) -> bool:
    """Return whether a picture has several frames. Cached for the life of the process, since files are never rewritten."""
    with default_storage.open(name) as file, Image.open(file, formats=_MOVING) as opened:
        return bool(getattr(opened, "is_animated", False))


def _existing(image: Any, kind: str) -> dict[str, Any]:
    """Return existing renditions by spec, and delete rows whose file was lost so that they can be created again."""
    found = {}
    for each in image.find_existing_renditions(*(Filter(spec=spec) for spec in KINDS[kind])).values():
        if media_storage().is_known_missing(each.file.name):
            image.renditions.filter(pk=each.pk).delete()
        else:
            found[each.filter_spec] = each
    return found


def _draw_missing(image: Any, kind: str, found: dict[str, Any]) -> None:
    """Create missing renditions one by one: Wagtail's bulk creation fails if two visitors request them at the same time."""
    with image.open_file():
        for spec in KINDS[kind]:
            if spec not in found:
                found[spec] = _draw(image, Filter(spec=spec))


def _draw(image: Any, each: Filter) -> Any:
    """Create a rendition like Wagtail's `create_rendition`, which does not close its temporary file.

    If two visitors request it at the same time, one file is used and the other deleted.
    """
    key = {"filter_spec": each.spec, "focal_point_key": each.get_cache_key(image)}
    with image.generate_rendition_file(each) as drawn:
        made = image.get_rendition_model()(image=image, file=drawn, **key)
        # Outside the transaction, which should not wait for storage.
        made.file.save(drawn.name, drawn, save=False)
    try:
        with transaction.atomic():
            made.save()
    except IntegrityError:
        made.file.delete(save=False)
        first = image.renditions.filter(**key).first()
        if first is None:
            raise FileNotFoundError(image.file.name) from None
        return first
    return made


def media_url(value: str) -> str:
    """Return the URL of the file in a field's value."""
    path = media_path(value)
    return settings.MEDIA_URL + quote(path) if path else value
