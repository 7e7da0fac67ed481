"""Locks and stores the categories of a module, whose own services add what follows from a change."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.utils import timezone

from cms_api.core.errors import ErrorCollector
from cms_api.core.records import set_values
from commerce.common.services.slugs import store_with_slug

from ..models import CategoryBase
from ..types import MAX_CATEGORY_DESCRIPTION, MAX_NAME, MAX_POSITION
from .checks import check_line, check_text, check_whole

C = TypeVar("C", bound=CategoryBase)


def store_category(category: CategoryBase, values: Mapping[str, Any], user: Any) -> None:
    """Store a new category, or a locked one. Raises Invalid by attribute.

    `values`: `name`, `slug`, `description`, `position`; those not given are unchanged. The slug of a new one defaults to one
    made from its name.
    """
    now = timezone.now()
    set_values(category, values, ("name", "description", "position"))
    errors = ErrorCollector()
    check_line(errors, "name", category.name, MAX_NAME, needed=True)
    check_text(errors, "description", category.description, MAX_CATEGORY_DESCRIPTION)
    check_whole(errors, "position", category.position, MAX_POSITION)
    errors.raise_if_any()
    category.name, category.updated_at = category.name.strip(), now
    if category.pk is None:
        category.created_at = now
    store_with_slug(category, values, "category", user=user)
