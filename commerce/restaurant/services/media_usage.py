"""Media usage of dishes: their pictures."""

from collections.abc import Collection

from django.urls import reverse

from cms_api.core import versions
from cms_api.media.types import Reference, StoredFile

from ..models import MenuItem
from ..types.menu import VERSION


class DishMediaUsage:
    """Media usage by dishes; see `media.types.MediaUsage`."""

    def references(self, media: StoredFile) -> list[Reference]:
        dishes = MenuItem.objects.filter(image=media.pk).order_by("pk")
        return [Reference(dish.name, reverse("dishes:edit", args=[dish.pk]), "Picture") for dish in dishes]

    def clear(self, media: StoredFile) -> None:
        """Remove the file from dishes. The caller's transaction has locked the file's row."""
        if MenuItem.objects.filter(image=media.pk).update(image=None):
            versions.bump(VERSION)

    def refresh(self, media_ids: Collection[int]) -> None:
        """Pages that show a picture depend on its own tag."""


MEDIA_USAGE = DishMediaUsage()
