"""Media usage of products: their pictures, and pictures in their descriptions."""

from collections.abc import Callable, Collection
from urllib.parse import quote

from django.db.models import Q, QuerySet
from django.urls import reverse

from cms_api.media.selectors import media_path, paths_of
from cms_api.media.types import Reference, StoredFile
from cms_api.text.html import without_images

from ..models import Product
from .invalidation import index_product, invalidate_products


class ProductMediaUsage:
    """Media usage by products; see `media.types.MediaUsage`."""

    def references(self, media: StoredFile) -> list[Reference]:
        gone, found = _match_gone(media), []
        for product in _candidates(media).order_by("pk"):
            address = reverse("products:edit", args=[product.pk])
            if product.pictures.filter(media=media.pk).exists():
                found.append(Reference(product.name, address, "Picture"))
            if without_images(product.description, gone) != product.description:
                found.append(Reference(product.name, address, "Description"))
        return found

    def clear(self, media: StoredFile) -> None:
        """Remove the file from products. The caller's transaction has locked the file's row."""
        gone = _match_gone(media)
        ids = list(_candidates(media).values_list("pk", flat=True))
        products = list(Product.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk"))
        for product in products:
            product.pictures.filter(media=media.pk).delete()
            description = without_images(product.description, gone)
            if description != product.description:
                product.description = description
                product.save(update_fields=["description"])
                index_product(product)
        if products:
            invalidate_products([product.pk for product in products])

    def refresh(self, media_ids: Collection[int]) -> None:
        """Pages that show a picture depend on its own tag."""


MEDIA_USAGE = ProductMediaUsage()


def _match_gone(media: StoredFile) -> Callable[[str], bool]:
    """Return a predicate for the URLs of the file, and of renditions made from it."""
    paths = paths_of(media)
    return lambda value: bool(value) and media_path(value) in paths


def _candidates(media: StoredFile) -> QuerySet[Product]:
    """Return the products that show the file, and those whose description has the part of its path that renditions share."""
    shown = Q(pk__in=Product.objects.filter(pictures__media=media.pk).values("pk"))
    if not media.path:
        return Product.objects.filter(shown)
    stem = (media.path.removeprefix("media/").rpartition(".")[0] or media.path)[:60]
    return Product.objects.filter(shown | Q(description__contains=stem) | Q(description__contains=quote(stem)))
