"""Saves and deletes pages, and invalidates the public pages affected."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.db import transaction
from django.utils.text import slugify
from wagtail.models import Page

from cms_api.content.services.addresses import find_address_owner
from cms_api.core import versions

from ..models import SitePage
from ..selectors import PAGES, TREE, is_at_the_top, page_tag, taken_page_slugs
from .rows import compile_rows, settle

T = TypeVar("T")

#: The attributes of a page that menus, lists of pages and URLs show.
SHOWN = ("title", "slug", "url_path", "live", "show_in_menus")


@transaction.atomic
def save_page(page: SitePage, save: Callable[[], T], *, update_fields: Iterable[str] | None = None) -> T:
    """Save a page with its rows. Saving a draft creates a revision and leaves the page unchanged.

    Slugs identify pages in the API, so they are unique across the whole tree: a slug that is taken, or is the address of a
    module or content type, gets a number.
    """
    before = Page.objects.filter(pk=page.pk).values_list(*SHOWN).first() if page.pk else None
    if update_fields is None:
        settle(page.rows)
        page.slug = page.slug or slugify(page.title) or "page"
        page.slug = _free_slug(page, stored=before[1] if before else None)
    saved = save()
    if update_fields is not None and "rows" not in update_fields:
        return saved
    compile_rows(page.rows, page=Page(pk=page.pk))
    after = Page.objects.filter(pk=page.pk).values_list(*SHOWN).first()
    versions.bump(PAGES, *([TREE] if before != after else []), tags=[page_tag(page.pk)])
    return saved


def _free_slug(page: SitePage, *, stored: str | None) -> str:
    """Return the page's slug, or the first free one of slug-2, slug-3, ... A slug that the page has already is its own."""
    taken, slug, number = taken_page_slugs(page), page.slug, 2
    while slug in taken or (slug != stored and is_at_the_top(page) and find_address_owner(slug, besides_pages=True)):
        slug = f"{page.slug[:250]}-{number}"
        number += 1
    return slug


@transaction.atomic
def delete_page(page: SitePage, delete: Callable[[], Any]) -> Any:
    """Delete a page and its descendants."""
    gone = list(page.get_descendants(inclusive=True).values_list("pk", flat=True)) if page.pk else []
    deleted = delete()
    versions.bump(PAGES, TREE, tags=map(page_tag, gone))
    return deleted
