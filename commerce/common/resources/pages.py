"""Pictures and metadata of public pages, for the modules that have some."""

from collections.abc import Iterable
from typing import Any

from cms_api.content.resources import meta
from cms_api.content.resources.linked_data import DESCRIPTION_LENGTH, absolute
from cms_api.content.resources.pictures import KINDS, Picture, picture, prefetch_renditions

__all__ = [
    "DESCRIPTION_LENGTH",
    "KINDS",
    "Picture",
    "absolute",
    "decoration",
    "image_of",
    "meta",
    "picture",
    "prefetch_images",
    "prefetch_renditions",
]


def image_of(record: Any) -> Any:
    """Return the library image of a record with an `image`, read with `image__mediaimage`; None without one."""
    return getattr(record.image, "mediaimage", None)


def prefetch_images(records: Iterable[Any]) -> None:
    """Read the renditions of the images of many records in one statement."""
    prefetch_renditions(filter(None, map(image_of, records)))


def decoration(record: Any, kind: str) -> Picture | None:
    """Return the picture of a record without an alternative text: the name beside it is enough for screen readers."""
    image = image_of(record)
    return picture(image, kind, alt="") if image else None
