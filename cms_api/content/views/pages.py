"""List, archive and detail pages."""

from dataclasses import replace
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.views.decorators.http import require_safe

from cms_api.core import versions
from cms_api.core.not_found import found_or_404
from cms_api.core.reading import Instances, compile_once
from cms_api.http import page_cache
from cms_api.rows.additions import additions_to

from .. import selectors
from ..models import ContentItem, ContentType, Term
from ..resources import meta
from ..resources.calendar_links import calendar_links
from ..resources.cards import is_dated, lead_of
from ..resources.fields import present, terms_of
from ..resources.occasion import occasion_of
from ..resources.pictures import featured_image, picture
from ..resources.records import layout
from ..selectors import cache_page, order_version

PER_PAGE = 12
#: Items of a type whose neighbours a process knows.
CACHED_ITEMS = 1000
MAX_QUERY = 200

#: The layout with dedicated slots for date, venue and price.
OCCASION = "event-detail"

#: Layouts used if the one named by a type or a setting is missing.
FALLBACKS = {"index": "content/content-list.html", "detail": "content/content-detail.html"}


@require_safe
def item_list(request: HttpRequest, type_slug: str) -> HttpResponse:
    """Show the published items of a type, newest first; `?q=` searches them."""
    return listing(request, selectors.all_types()[type_slug])


@require_safe
def term_archive(request: HttpRequest, type_slug: str, taxonomy: str, term: str) -> HttpResponse:
    """Show the published items of a type that have a term."""
    item_type = selectors.all_types()[type_slug]
    return listing(request, item_type, find_term(item_type, taxonomy, term))


@require_safe
def item_detail(request: HttpRequest, type_slug: str, slug: str) -> HttpResponse:
    """Show one published item."""
    item = found_or_404(shown_item(selectors.all_types()[type_slug], slug))
    return render(request, detail_template(item.type), {**detail_context(item, request), **_neighbours(item)})


def find_term(item_type: ContentType, taxonomy: str, slug: str) -> Term:
    terms = selectors.vocabulary(item_type.pk).get(taxonomy, ())
    return found_or_404(next((each for each in terms if each.slug == slug), None))


def shown_item(item_type: ContentType, slug: str) -> ContentItem | None:
    """Return the published item of a detail page, and cache the page."""
    item = selectors.published_item(item_type, slug) if item_type.has_detail else None
    if item is not None:
        item.type = item_type
        cache_page(order_version(item_type.pk))
    return item


def detail_template(item_type: ContentType) -> str:
    return _template(item_type, "detail")


def detail_context(item: ContentItem, request: HttpRequest | None = None) -> dict[str, Any]:
    """Return the context of a detail page, for a stored item or the preview of an unsaved one."""
    lead, lead_key = lead_of(item)
    page_cache.shows(selectors.item_tag(item.pk))
    featured = featured_image(item)
    occasion = occasion_of(item) if layout(item.type, "detail") == OCCASION else None
    additions = additions_to("content.item", item, request)
    blocks = present(item, without={lead_key, *(occasion.keys if occasion else ())}, beside=featured)
    return {
        "item": item,
        "type": item.type,
        "lead": lead,
        "terms": terms_of(item),
        "featured": picture(featured, "wide") if featured else None,
        "blocks": blocks,
        "occasion": occasion,
        "calendar": calendar_links(item),
        "dated": is_dated(item.type),
        "additions": additions,
        "meta": additions.complete(meta.for_item(item, featured)),
    }


def listing(request: HttpRequest, item_type: ContentType, term: Term | None = None, **more: Any) -> HttpResponse:
    """Show a page of the published items, newest first; `more` is added to the template context."""
    narrowed = narrowed_to(request, item_type, term)

    def newest() -> QuerySet[ContentItem]:
        shown = narrowed.queryset().defer("cached_json").select_related("featured_media__mediaimage")
        return shown.order_by("-listed_at", "-id")

    # Texts that people search for are many; the statement of a list without one is compiled once.
    items: Any = newest() if narrowed.search else compile_once(("content.listing", narrowed), newest, Instances)
    paginator = Paginator(items, PER_PAGE)
    # Taken from the tallies; Django would count the rows each time.
    paginator.__dict__["count"] = narrowed.total()
    keep_list(item_type, query=narrowed.search)
    page: Page[ContentItem] = paginator.get_page(request.GET.get("page"))
    context = list_context(item_type, term, page, query=narrowed.search or "")
    return render(request, list_template(item_type), context | more)


def narrowed_to(request: HttpRequest, item_type: ContentType, term: Term | None) -> selectors.ItemFilter:
    """Return the filter of a list: the visitor's search, and the term if there is one."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:MAX_QUERY]
    narrowed = selectors.ItemFilter(types=(item_type.pk,), search=query or None)
    return replace(narrowed, terms=((term.pk,),)) if term else narrowed


def keep_list(item_type: ContentType, *, query: str | None) -> None:
    cache_page(selectors.items_version(item_type.pk) if query else order_version(item_type.pk))


def list_context(item_type: ContentType, term: Term | None, page: Page[ContentItem], *, query: str) -> dict[str, Any]:
    """Return the context that all lists share."""
    return {
        "type": item_type,
        "page": page,
        "pages": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "query": query,
        "term": term,
        "vocabularies": vocabularies(item_type),
        "meta": meta.for_list(item_type, term, page.number, searched=bool(query)),
    }


def list_template(item_type: ContentType) -> str:
    return _template(item_type, "index")


def _template(item_type: ContentType, kind: str) -> str:
    name = f"content/{layout(item_type, kind)}.html"
    try:
        get_template(name)
    except TemplateDoesNotExist:
        return FALLBACKS[kind]
    return name


def _neighbours(item: ContentItem) -> dict[str, Any]:
    """Return the items before and after this one in list order, kept until an item of the type changes."""
    kept: dict[int, dict[str, Any]]
    kept = versions.load_once(selectors.items_version(item.type_id), dict, slot=f"content.neighbours.{item.type_id}")
    if item.pk not in kept:
        if len(kept) >= CACHED_ITEMS:
            kept.clear()
        kept[item.pk] = _read_neighbours(item)
    page_cache.shows(*(selectors.item_tag(each["pk"]) for each in kept[item.pk].values() if each))
    return kept[item.pk]


def _read_neighbours(item: ContentItem) -> dict[str, Any]:
    """Read the neighbours (two statements, each reading one index row)."""
    same_type = selectors.published_items(item.type)
    older = same_type.filter(listed_at__lte=item.listed_at).exclude(listed_at=item.listed_at, pk__gte=item.pk)
    newer = same_type.filter(listed_at__gte=item.listed_at).exclude(listed_at=item.listed_at, pk__lte=item.pk)
    return {
        "older": older.values("pk", "title", "slug").first(),
        "newer": newer.order_by("listed_at", "id").values("pk", "title", "slug").first(),
    }


def vocabularies(item_type: ContentType) -> list[dict[str, Any]]:
    terms = selectors.vocabulary(item_type.pk)
    found = [{"field": field, "terms": terms.get(field.key, [])} for field in item_type.taxonomies]
    return [group for group in found if group["terms"]]
