"""Media usage of listings: logo, cover and pictures."""

from collections.abc import Collection

from django.db.models import Q
from django.urls import reverse

from cms_api.media.types import Reference, StoredFile

from ..models import Listing
from .changed import invalidate_listings


class ListingMediaUsage:
    """Media usage by listings; see `media.types.MediaUsage`."""

    def references(self, media: StoredFile) -> list[Reference]:
        found = []
        for listing in Listing.objects.filter(_shows(media)).distinct().order_by("pk").prefetch_related("pictures"):
            address = reverse("listings:edit", args=[listing.pk])
            places = {"Logo": listing.logo_id, "Cover": listing.cover_id}
            found += [Reference(listing.name, address, place) for place, used in places.items() if used == media.pk]
            if any(picture.media_id == media.pk for picture in listing.pictures.all()):
                found.append(Reference(listing.name, address, "Picture"))
        return found

    def clear(self, media: StoredFile) -> None:
        """Remove the file from listings. The caller's transaction has locked the file's row."""
        ids = list(Listing.objects.filter(_shows(media)).distinct().values_list("pk", flat=True))
        for listing in Listing.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk"):
            listing.logo_id = None if listing.logo_id == media.pk else listing.logo_id
            listing.cover_id = None if listing.cover_id == media.pk else listing.cover_id
            listing.save(update_fields=["logo", "cover"])
            listing.pictures.filter(media=media.pk).delete()
        if ids:
            invalidate_listings()

    def refresh(self, media_ids: Collection[int]) -> None:
        """Pages that show a picture depend on its own tag."""


MEDIA_USAGE = ListingMediaUsage()


def _shows(media: StoredFile) -> Q:
    return Q(logo=media.pk) | Q(cover=media.pk) | Q(pictures__media=media.pk)
