"""Pictures as pages show them: renditions for several screen widths, with size and alternative text."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from django.conf import settings
from django.db.models import Prefetch, prefetch_related_objects
from wagtail.images import get_image_model
from wagtail.images.models import Filter

from ..models import ContentItem

_WEBP = "|format-webp|webpquality-80"

#: Filter specs of each kind of picture, narrowest first.
KINDS = {
    "card": ("fill-480x300" + _WEBP, "fill-960x600" + _WEBP),
    "tile": ("fill-400x300" + _WEBP, "fill-800x600" + _WEBP),
    "wide": ("width-640" + _WEBP, "width-1120" + _WEBP, "width-1920" + _WEBP),
    "social": ("fill-1200x630|format-jpeg",),
}
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
    """A library image in one of KINDS; None where its file is missing or cannot be read."""
    texts = {"alt": image.alt if alt is None else alt, "caption": image.caption}
    if image.is_svg():
        return Picture(image.file.url, width=image.width, height=image.height, original=image.file.url, **texts)
    try:
        renditions = _renditions(image, [Filter(spec=spec) for spec in KINDS[kind]])
    except OSError:
        return None
    by_width = {each.width: each for each in renditions}
    largest = max(by_width.values(), key=lambda each: each.width)
    srcset = ", ".join(f"{each.url} {width}w" for width, each in sorted(by_width.items())) if len(by_width) > 1 else ""
    return Picture(largest.url, width=largest.width, height=largest.height, srcset=srcset, original=image.file.url, **texts)


def _renditions(image: Any, filters: list[Filter]) -> list[Any]:
    """One after the other, for Wagtail's way of making several at once fails when two visitors come first together."""
    found = image.find_existing_renditions(*filters)
    missing = [each for each in filters if each not in found]
    if missing:
        with image.open_file():
            for each in missing:
                found[each] = _make_rendition(image, each)
    return [found[each] for each in filters]


def _make_rendition(image: Any, each: Filter) -> Any:
    """As Wagtail's `create_rendition`, which leaves open the temporary file that it draws in."""
    with image.generate_rendition_file(each) as drawn:
        key = each.get_cache_key(image)
        made, _ = image.renditions.get_or_create(filter_spec=each.spec, focal_point_key=key, defaults={"file": drawn})
        return made


def media_path(value: str) -> str:
    """A field's value as a path below the media root; empty for an address elsewhere."""
    own = settings.BASE_URL + settings.MEDIA_URL
    path = value.removeprefix(own).partition("?")[0]
    if "://" in path:
        return ""
    # Files stand in `media/` below MEDIA_URL `/media/`; some clients send the whole address.
    return unquote(path.removeprefix("media/") if path.startswith("media/media/") else path)


def media_url(value: str) -> str:
    """The address of the file that a field's value names."""
    path = media_path(value)
    return settings.MEDIA_URL + quote(path) if path else value
