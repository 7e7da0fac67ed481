"""The context of page templates."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import SimpleLazyObject
from wagtail.models import Page

from cms_api.content import selectors as content
from cms_api.content.resources import meta
from cms_api.content.selectors import cache_page
from cms_api.content.views import detail_context, detail_template
from cms_api.http import page_cache
from cms_api.text.html import strip_tags

from ..models import HomePage, RecordTemplate, SitePage
from ..selectors import TREE, address, page_tag, public_pages
from .rows import present_rows, split_at_record, titled_by_hero


def page_context(page: SitePage) -> dict[str, Any]:
    """Return the rows of a page, its surrounding pages and its metadata."""
    cache_page(TREE)
    page_cache.shows(page_tag(page.pk))
    # The root of the tree is no page of the site.
    ancestors = list(page.get_ancestors().live().filter(depth__gt=1)) if page.pk and page.depth > 2 else []
    rows = present_rows(page.rows, page_id=page.pk)
    if page.hero_is_title:
        rows = titled_by_hero(rows)
    # The front page shows its introduction between its title and its rows.
    leads = 1 if rows and rows[0].is_title else 0
    return {
        "title_rows": rows[:leads],
        "rows": rows[leads:],
        "ancestors": ancestors,
        # Not every type of page shows them.
        "subpages": SimpleLazyObject(lambda: public_pages().child_of(page).in_menu() if page.pk else []),
        "meta": _meta(page, ancestors),
    }


def _meta(page: SitePage, ancestors: list[Page]) -> meta.Meta:
    description = page.search_description or strip_tags(getattr(page, "introduction", ""))
    if isinstance(page, HomePage):
        return meta.for_home(title=page.meta_title, description=description)
    return meta.for_page(
        title=page.meta_title,
        path=address(page),
        description=description,
        above=[(each.title, address(each)) for each in ancestors[1:]],
        modified=page.last_published_at,
    )


def preview_record(template: RecordTemplate, request: HttpRequest) -> HttpResponse:
    """Render the template around the newest record of its type."""
    item_type = template.record_type
    item = content.published_items(item_type).first()
    if item is None:
        return render(request, "home/no_record.html", {"type": item_type})
    item.type = item_type
    before, after = split_at_record(present_rows(template.rows, page_id=template.pk))
    context = {**detail_context(item, request), "around": {"before": before, "after": after}}
    return render(request, detail_template(item_type), context)
