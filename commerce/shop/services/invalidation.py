"""Search entries of products, and invalidation of the pages that show them."""

from collections.abc import Iterable

from wagtail.search.backends import get_search_backend

from cms_api.core import versions

from ..models import Product
from ..selectors.products import VERSION
from ..types.products import product_tag


def index_product(product: Product) -> None:
    """Update the search entry of a product from its stored variants."""
    get_search_backend().add(Product.objects.prefetch_related("variants").get(pk=product.pk))


def forget_product(product: Product) -> None:
    """Remove a product that is about to be deleted from the search index."""
    get_search_backend().delete(product)


def invalidate_products(product_ids: Iterable[int] = ()) -> None:
    """Invalidate all lists of products, and the pages that show these. Call it last: others wait for the transaction to end."""
    versions.bump(VERSION, tags=map(product_tag, product_ids))
