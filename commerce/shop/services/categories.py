"""Creates, changes and deletes categories of products."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from commerce.common.services.categories import lock_category, remove_category, store_category

from ..models import ProductCategory
from .invalidation import invalidate_products


@transaction.atomic
def save_category(*, values: Mapping[str, Any], category: ProductCategory | None = None, user: Any = None) -> ProductCategory:
    """Create or change a category, as `store_category`. Raises Invalid by attribute, and NotFound."""
    saved = ProductCategory() if category is None else lock_category(category)
    store_category(saved, values, user)
    invalidate_products()
    return saved


@transaction.atomic
def delete_category(*, category: ProductCategory, user: Any = None) -> None:
    """Delete a category; its products stay, without a category. Raises NotFound."""
    locked = lock_category(category, to_delete=True)
    product_ids = list(locked.products.values_list("pk", flat=True))
    remove_category(locked, user)
    invalidate_products(product_ids)
