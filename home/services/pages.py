"""Saves and deletes pages, and ends the public pages that this changes."""

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

#: What menus, lists of pages and addresses show of a page.
SHOWN = ("title", "slug", "url_path", "live", "show_in_menus")


@transaction.atomic
def save_page(page: SitePage, save: Callable[[], T], *, update_fields: Iterable[str] | None = None) -> T:
    """Saves a page with its rows. What is saved of a draft is a revision, which leaves the page as it is.

    Slugs name pages in the API, so none is used twice, wherever in the tree the pages are: one that is taken gets a number.
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
    """Deletes a page and those below it."""
    gone = list(page.get_descendants(inclusive=True).values_list("pk", flat=True)) if page.pk else []
    deleted = delete()
    versions.bump(PAGES, TREE, tags=map(page_tag, gone))
    return deleted
