"""Photos of listings on pages. Copies are shown in the sizes that the library makes of every upload."""

from collections.abc import Iterable, Mapping, Sequence

from cms_api.http import page_cache
from cms_api.media.selectors import address, media_tag, variants
from commerce.common.resources.pages import Picture

from ..models import Property
from ..selectors.listings import Photo, photos_of

#: The variants of the library that pages use: name and width.
SIZES = (("w480", 480), ("w960", 960), ("w1600", 1600))


def pictures_of(rows: Iterable[Property]) -> Mapping[int, Sequence[Picture]]:
    """Return the pictures of listings read `with_photos` or `with_covers`, in order (two statements).

    They have no alternative text, as the title of the listing is beside them; `original` is the largest picture.
    """
    photos = photos_of(rows)
    copies = [photo.image_id for each in photos.values() for photo in each if photo.image_id]
    page_cache.shows(*map(media_tag, copies))
    sizes = variants(copies) if copies else {}
    return {pk: [_picture(photo, sizes.get(photo.image_id or 0, {})) for photo in each] for pk, each in photos.items()}


def _picture(photo: Photo, sizes: Mapping[str, str]) -> Picture:
    urls = [(address(sizes[name]), width) for name, width in SIZES if name in sizes]
    if not urls:
        return Picture(photo.url, "", original=photo.url)
    return Picture(urls[0][0], "", srcset=", ".join(f"{url} {width}w" for url, width in urls), original=photo.url)
