"""Saves and deletes pages, and invalidates the public pages affected."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.db import transaction
from django.utils.text import slugify
from wagtail.models import Page

from cms_api.core import versions

from ..models import SitePage
from ..selectors import PAGES, TREE, free_page_slug, page_tag
from .rows import compile_rows, settle

T = TypeVar("T")

#: The attributes of a page that menus, lists of pages and URLs show.
SHOWN = ("title", "slug", "url_path", "live", "show_in_menus")


@transaction.atomic
def save_page(page: SitePage, save: Callable[[], T], *, update_fields: Iterable[str] | None = None) -> T:
    """Save a page with its rows. Saving a draft creates a revision and leaves the page unchanged.

    Slugs identify pages in the API, so they are unique across the whole tree: a slug that is taken gets a number.
    """
    if update_fields is None:
        settle(page.rows)
        page.slug = page.slug or slugify(page.title) or "page"
        page.slug = free_page_slug(page)
    before = Page.objects.filter(pk=page.pk).values_list(*SHOWN).first() if page.pk else None
    saved = save()
    if update_fields is not None and "rows" not in update_fields:
        return saved
    compile_rows(page.rows, page=Page(pk=page.pk))
    after = Page.objects.filter(pk=page.pk).values_list(*SHOWN).first()
    versions.bump(PAGES, *([TREE] if before != after else []), tags=[page_tag(page.pk)])
    return saved


@transaction.atomic
def delete_page(page: SitePage, delete: Callable[[], Any]) -> Any:
    """Delete a page and its descendants."""
    gone = list(page.get_descendants(inclusive=True).values_list("pk", flat=True)) if page.pk else []
    deleted = delete()
    versions.bump(PAGES, TREE, tags=map(page_tag, gone))
    return deleted
