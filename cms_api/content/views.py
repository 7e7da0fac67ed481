"""Public list, archive and detail pages of content types."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from cms_api.core.search import matching_ids

from . import selectors
from .models import ContentItem, ContentType
from .resources.records import layout

PER_PAGE = 12


def item_list(request: HttpRequest, type_slug: str) -> HttpResponse:
    """The published items of a type, newest first; `?q=` searches them."""
    return _listing(request, selectors.all_types()[type_slug])


def term_archive(request: HttpRequest, type_slug: str, taxonomy: str, term: str) -> HttpResponse:
    """The published items of a type that have a term."""
    item_type = selectors.all_types()[type_slug]
    terms = selectors.vocabulary(item_type.pk).get(taxonomy, ())
    found = next((each for each in terms if each.slug == term), None)
    if found is None:
        raise Http404
    return _listing(request, item_type, item_terms__term=found, term=found)


def _listing(request: HttpRequest, item_type: ContentType, term: Any = None, **narrowed: Any) -> HttpResponse:
    items = selectors.published_items(item_type).filter(**narrowed)
    query = request.GET.get("q", "").replace("\0", "").strip()[:200]
    if query:
        items = items.filter(pk__in=matching_ids(ContentItem, query))
    page = Paginator(items, PER_PAGE).get_page(request.GET.get("page"))
    context = {"type": item_type, "page": page, "query": query, "term": term, "taxonomies": _vocabulary(item_type)}
    return render(request, f"content/{layout(item_type, 'index')}.html", context)


def item_detail(request: HttpRequest, type_slug: str, slug: str) -> HttpResponse:
    """One published item."""
    item_type = selectors.all_types()[type_slug]
    item = selectors.published_items(item_type).filter(slug=slug).first()
    if item is None or not item_type.has_detail:
        raise Http404
    item.type = item_type
    return render(request, detail_template(item_type), detail_context(item))


def detail_template(item_type: ContentType) -> str:
    return f"content/{layout(item_type, 'detail')}.html"


def detail_context(item: ContentItem) -> dict[str, Any]:
    """What a detail page shows, for a stored item and for the preview of an unsaved one."""
    return {"item": item, "type": item.type}


def _vocabulary(item_type: ContentType) -> list[dict[str, Any]]:
    terms = selectors.vocabulary(item_type.pk)
    return [{"field": field, "terms": terms.get(field.key, [])} for field in item_type.taxonomies]
