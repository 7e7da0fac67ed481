"""Media usage of listings: the copies of their photos."""

from collections.abc import Collection

from cms_api.core import versions
from cms_api.media.types import Reference, StoredFile

from ..models import PropertyPhoto
from ..types.listings import VERSION, property_path


class PhotoUsage:
    """Media usage by photos of listings; see `media.types.MediaUsage`."""

    def references(self, media: StoredFile) -> list[Reference]:
        photos = PropertyPhoto.objects.filter(image=media.pk, listing__isnull=False).select_related("listing").order_by("pk")
        return [Reference(photo.listing.title, property_path(photo.listing.slug), "Photo") for photo in photos if photo.listing]

    def clear(self, media: StoredFile) -> None:
        """Remove the file from listings. The caller's transaction has locked the file's row."""
        if PropertyPhoto.objects.filter(image=media.pk).update(image=None, digest=""):
            versions.bump(VERSION)

    def refresh(self, media_ids: Collection[int]) -> None:
        """Pages that show a photo depend on its own tag."""


MEDIA_USAGE = PhotoUsage()
