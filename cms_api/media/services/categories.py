"""Writes of the library's categories."""

from typing import Any

from django.db import transaction
from django.utils.text import slugify

from cms_api.core.errors import ErrorCollector, required_message, taken_message
from cms_api.core.identifiers import SLUG_OF_DIGITS, with_letters
from cms_api.core.records import delete_record, lock_or_build, store_record

from ..models import Category
from ..selectors import VERSION

MAX_CATEGORY_NAME = 100


@transaction.atomic
def save_category(*, name: str, slug: str = "", category: Category | None = None, user: Any = None) -> Category:
    """Create or change a category. Raises Invalid and NotFound."""
    name = name.strip()
    slug = slug or (category.slug if category else with_letters(slugify(name), "category"))
    collector = ErrorCollector()
    if not name:
        collector.add("name", required_message("name"))
    elif len(name) > MAX_CATEGORY_NAME:
        collector.add("name", f"The name may not be greater than {MAX_CATEGORY_NAME} characters.")
    if slug != slugify(slug) or not slug or len(slug) > MAX_CATEGORY_NAME:
        collector.add("slug", f"The slug may contain only lower-case letters, digits and hyphens, at most {MAX_CATEGORY_NAME}.")
    elif slug.isdecimal() and (category is None or slug != category.slug):
        collector.add("slug", SLUG_OF_DIGITS)
    collector.raise_if_any()
    found = lock_or_build(Category, category)
    found.name, found.slug = name, slug
    return store_record(found, user=user, refusal={"slug": taken_message("slug")}, version=VERSION)


def delete_category(*, category: Category, user: Any = None) -> None:
    """Delete a category; its media are left without one."""
    delete_record(record=category, user=user, version=VERSION)
