"""Creates, changes and deletes categories of products."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from cms_api.core.locks import lock_row
from cms_api.core.records import delete_record, lock_or_build
from commerce.common.services.categories import store_category

from ..models import ProductCategory
from .invalidation import invalidate_products


@transaction.atomic
def save_category(*, values: Mapping[str, Any], category: ProductCategory | None = None, user: Any = None) -> ProductCategory:
    """Create or change a category, as `store_category`. Raises Invalid by attribute, and NotFound."""
    saved = lock_or_build(ProductCategory, category)
    store_category(saved, values, user)
    invalidate_products()
    return saved


@transaction.atomic
def delete_category(*, category: ProductCategory, user: Any = None) -> None:
    """Delete a category; its products stay, without a category. Raises NotFound."""
    locked = lock_row(ProductCategory.objects.filter(pk=category.pk), to_delete=True)
    product_ids = list(locked.products.values_list("pk", flat=True))
    delete_record(record=locked, user=user)
    invalidate_products(product_ids)
