"""Creates, changes and deletes categories of products."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector
from commerce.common.services.checks import check_line, check_whole
from commerce.common.services.slugs import insert_with_slug, update_with_slug

from ..models import ProductCategory
from ..types.products import MAX_CATEGORY_DESCRIPTION, MAX_CATEGORY_NAME, MAX_POSITION
from .invalidation import invalidate_products

ATTRIBUTES = ("name", "description", "position")


@transaction.atomic
def save_category(*, values: dict[str, Any], category: ProductCategory | None = None, user: Any = None) -> ProductCategory:
    """Create or change a category; values not given are unchanged. A new one's slug defaults to one made from its name.

    Raises Invalid by attribute.
    """
    now = timezone.now()
    saved = category or ProductCategory(created_at=now)
    for name in ATTRIBUTES:
        if name in values:
            setattr(saved, name, values[name])
    saved.updated_at = now
    _check(saved)
    slug = str(values.get("slug") or "")
    if category:
        update_with_slug(saved, slug)
    else:
        insert_with_slug(saved, slug, "category")
    log(instance=saved, action="wagtail.edit" if category else "wagtail.create", user=user)
    invalidate_products()
    return saved


def _check(category: ProductCategory) -> None:
    errors = ErrorCollector()
    check_line(errors, "name", category.name, MAX_CATEGORY_NAME, needed=True)
    if len(category.description) > MAX_CATEGORY_DESCRIPTION or "\0" in category.description:
        errors.add("description", f"The description may not be greater than {MAX_CATEGORY_DESCRIPTION} characters.")
    check_whole(errors, "position", category.position, MAX_POSITION)
    errors.raise_if_any()


@transaction.atomic
def delete_category(*, category: ProductCategory, user: Any = None) -> None:
    """Delete a category; its products stay, without a category."""
    locked = ProductCategory.objects.select_for_update().filter(pk=category.pk).first()
    if locked is None:
        return
    log(instance=locked, action="wagtail.delete", user=user, deleted=True)
    product_ids = list(locked.products.values_list("pk", flat=True))
    locked.delete()
    invalidate_products(product_ids)
