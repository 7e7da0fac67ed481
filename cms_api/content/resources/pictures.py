"""Pictures as pages show them: renditions for several screen widths, with size and alternative text.

In WebP only. AVIF of the same look is a quarter smaller, 2 to 4 kB a picture, but takes 2.5 to 6.5 times as long to encode
(58 to 164 ms a size): the first visitor of a list of twelve would wait two seconds longer.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Prefetch, prefetch_related_objects
from PIL import Image
from wagtail.images import get_image_model
from wagtail.images.models import Filter

from cms_api.http import page_cache
from cms_api.media.selectors import media_path, media_tag
from cms_api.media.services.storage import media_storage

from ..models import ContentItem

_WEBP = "|format-webp|webpquality-80"

#: Filter specs of each kind of picture, narrowest first.
KINDS = {
    "card": ("fill-480x300" + _WEBP, "fill-960x600" + _WEBP),
    "tile": ("fill-400x300" + _WEBP, "fill-800x600" + _WEBP),
    "wide": ("width-640" + _WEBP, "width-1120" + _WEBP, "width-1920" + _WEBP),
    "hero": ("fill-960x540" + _WEBP, "fill-1920x1080" + _WEBP),
    "half": ("fill-640x480" + _WEBP, "fill-1120x840" + _WEBP),
    # Twice the size at which the header shows it.
    "logo": ("max-480x96|format-webp-lossless",),
    "portrait": ("fill-240x240" + _WEBP, "fill-480x480" + _WEBP),
    "social": ("fill-1200x630|format-jpeg",),
}
#: Formats that can hold several frames, as Pillow names them.
_MOVING = ["AVIF", "GIF", "PNG", "WEBP"]
_SPECS = [spec for specs in KINDS.values() for spec in specs]


@dataclass(frozen=True)
class Picture:
    """What an `<img>` needs. Width and height are unknown for files that are not in the library."""

    src: str
    alt: str
    width: int | None = None
    height: int | None = None
    srcset: str = ""
    caption: str = ""
    #: The address of the file as it was uploaded.
    original: str = ""


def featured_image(item: ContentItem) -> Any:
    """The library image that an item features, or None."""
    return getattr(item.featured_media, "mediaimage", None)


def prefetch_renditions(images: Iterable[Any]) -> None:
    """Reads the renditions of many images in one statement."""
    rendition = get_image_model().get_rendition_model()
    wanted = rendition.objects.filter(filter_spec__in=_SPECS)
    prefetch_related_objects(list(images), Prefetch("renditions", queryset=wanted, to_attr="prefetched_renditions"))


def images_by_path(paths: Iterable[str]) -> dict[str, Any]:
    """Library images by the path of their file below the media root (one statement)."""
    wanted = set(paths)
    return {image.file.name: image for image in get_image_model().objects.filter(file__in=wanted)} if wanted else {}


def picture(image: Any, kind: str, *, alt: str | None = None) -> Picture | None:
    """A library image in one of KINDS; None where its file is missing or cannot be read.

    Drawings (SVG) and what moves are shown as they were uploaded; of what moves, social networks get the first frame.
    """
    page_cache.shows(media_tag(image.pk))
    if image.is_svg():
        # Social networks do not take drawings.
        return _as_uploaded(image, alt) if kind != "social" else None
    try:
        found = _existing(image, kind)
        if len(found) < len(KINDS[kind]):
            if kind != "social" and _may_move(image.file.name) and _moves(image.pk, image.file.name):
                return _as_uploaded(image, alt)
            _draw_missing(image, kind, found)
    except OSError:
        return None
    by_width = {each.width: each for each in found.values()}
    # A rendition of other content is another row, so that browsers may keep one for ever. Social networks want a plain name.
    version = "?v={:x}" if kind != "social" else ""
    addresses = {width: each.url + version.format(each.pk) for width, each in sorted(by_width.items())}
    widest = max(by_width)
    return Picture(
        addresses[widest],
        alt=image.alt if alt is None else alt,
        width=widest,
        height=by_width[widest].height,
        srcset=", ".join(f"{address} {width}w" for width, address in addresses.items()) if len(addresses) > 1 else "",
        caption=image.caption,
        original=image.file.url,
    )


def _as_uploaded(image: Any, alt: str | None) -> Picture | None:
    if media_storage().is_known_missing(image.file.name):
        return None
    address = image.file.url
    words = image.alt if alt is None else alt
    return Picture(address, words, image.width, image.height, caption=image.caption, original=address)


def _may_move(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in {".avif", ".gif", ".png", ".webp"}


@lru_cache(maxsize=4096)
def _moves(image_id: int, name: str) -> bool:
    """Whether a picture has several frames; looked up once in a process, for files are never written again."""
    with default_storage.open(name) as file, Image.open(file, formats=_MOVING) as opened:
        return bool(getattr(opened, "is_animated", False))


def _existing(image: Any, kind: str) -> dict[str, Any]:
    """The renditions there are, by their spec; a row whose file was lost makes place for a new one."""
    found = {}
    for each in image.find_existing_renditions(*(Filter(spec=spec) for spec in KINDS[kind])).values():
        if media_storage().is_known_missing(each.file.name):
            image.renditions.filter(pk=each.pk).delete()
        else:
            found[each.filter_spec] = each
    return found


def _draw_missing(image: Any, kind: str, found: dict[str, Any]) -> None:
    """One after the other, for Wagtail's way of making several at once fails when two visitors come first together."""
    with image.open_file():
        for spec in KINDS[kind]:
            if spec not in found:
                found[spec] = _draw(image, Filter(spec=spec))


def _draw(image: Any, each: Filter) -> Any:
    """As Wagtail's `create_rendition`, which leaves open the temporary file that it draws in.

    Of two visitors who come first together one keeps the file, and the other's goes.
    """
    key = {"filter_spec": each.spec, "focal_point_key": each.get_cache_key(image)}
    with image.generate_rendition_file(each) as drawn:
        made = image.get_rendition_model()(image=image, file=drawn, **key)
        # Before the transaction, which should not wait for a storage.
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
    """The address of the file that a field's value names."""
    path = media_path(value)
    return settings.MEDIA_URL + quote(path) if path else value
