"""Locks and stores the categories of a module, whose own services add what follows from a change."""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector
from cms_api.core.locks import lock_row

from ..models import CategoryBase
from ..types import MAX_CATEGORY_DESCRIPTION, MAX_NAME, MAX_POSITION
from .checks import check_line, check_text, check_whole
from .slugs import insert_with_slug, update_with_slug

C = TypeVar("C", bound=CategoryBase)


def lock_category(category: C, *, to_delete: bool = False) -> C:
    """Return a category as it is stored, locked; one that is to be deleted gets no record meanwhile. Raises NotFound."""
    return lock_row(type(category)._default_manager.filter(pk=category.pk), to_delete=to_delete)


def store_category(category: CategoryBase, values: Mapping[str, Any], user: Any) -> None:
    """Store a new category, or a locked one. Raises Invalid by attribute.

    `values`: `name`, `slug`, `description`, `position`; those not given are unchanged. The slug of a new one defaults to one
    made from its name.
    """
    is_new, now = category.pk is None, timezone.now()
    for name in ("name", "description", "position"):
        if name in values:
            setattr(category, name, values[name])
    errors = ErrorCollector()
    check_line(errors, "name", category.name, MAX_NAME, needed=True)
    check_text(errors, "description", category.description, MAX_CATEGORY_DESCRIPTION)
    check_whole(errors, "position", category.position, MAX_POSITION)
    errors.raise_if_any()
    category.name, category.updated_at = category.name.strip(), now
    slug = str(values.get("slug") or "")
    if is_new:
        category.created_at = now
        insert_with_slug(category, slug, "category")
    else:
        update_with_slug(category, slug)
    log(instance=category, action="wagtail.create" if is_new else "wagtail.edit", user=user)


def remove_category(category: CategoryBase, user: Any) -> None:
    """Delete a category that was locked for it."""
    log(instance=category, action="wagtail.delete", user=user, deleted=True)
    category.delete()
