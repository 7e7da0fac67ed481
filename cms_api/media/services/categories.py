"""Writes of the library's categories."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from wagtail.log_actions import log

from cms_api.core import versions
from cms_api.core.errors import ErrorCollector, Invalid, required_message, taken_message
from cms_api.core.locks import get_row, lock_to_delete

from ..models import Category
from ..selectors import VERSION

MAX_CATEGORY_NAME = 100


@transaction.atomic
def save_category(*, name: str, slug: str = "", category: Category | None = None, user: Any = None) -> Category:
    """Create or change a category. Raises Invalid and NotFound."""
    name = name.strip()
    slug = slug or (category.slug if category else slugify(name))
    collector = ErrorCollector()
    if not name:
        collector.add("name", required_message("name"))
    elif len(name) > MAX_CATEGORY_NAME:
        collector.add("name", f"The name may not be greater than {MAX_CATEGORY_NAME} characters.")
    if slug != slugify(slug) or not slug or len(slug) > MAX_CATEGORY_NAME:
        collector.add("slug", f"The slug may contain only lower-case letters, digits and hyphens, at most {MAX_CATEGORY_NAME}.")
    collector.raise_if_any()
    found = get_row(Category.objects.select_for_update(no_key=True), category.pk) if category else Category()
    found.name, found.slug = name, slug
    try:
        with transaction.atomic():
            found.save()
    except IntegrityError:
        raise Invalid({"slug": taken_message("slug")}) from None
    log(instance=found, action="wagtail.edit" if category else "wagtail.create", user=user)
    versions.bump(VERSION)
    return found


@transaction.atomic
def delete_category(*, category: Category, user: Any = None) -> None:
    """Delete a category; its media are left without one."""
    lock_to_delete(category)
    log(instance=category, action="wagtail.delete", user=user, deleted=True)
    category.delete()
    versions.bump(VERSION)
