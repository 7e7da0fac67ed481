"""Lists of dated items: upcoming, past, searched or by term; and the month view in their place."""

from collections.abc import Iterator
from typing import Any, cast
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from cms_api.content.models import ContentItem, ContentType, Term
from cms_api.content.resources.records import layout
from cms_api.content.selectors import all_types
from cms_api.content.views import find_term, keep_list, list_context, list_template, listing, narrowed_to
from cms_api.content.views.pages import PER_PAGE
from cms_api.http import page_cache

from ..selectors.dates import past, upcoming
from .month import show_month

#: The layout of types whose list is a calendar.
GRID = "content-calendar-grid"
#: The list template of calendar layouts.
GRID_LIST = "content/content-calendar-month.html"


@require_safe
def item_list(request: HttpRequest, type_slug: str) -> HttpResponse:
    return _answer(request, all_types()[type_slug], None)


@require_safe
def term_archive(request: HttpRequest, type_slug: str, taxonomy: str, term: str) -> HttpResponse:
    item_type = all_types()[type_slug]
    return _answer(request, item_type, find_term(item_type, taxonomy, term))


def _answer(request: HttpRequest, item_type: ContentType, term: Term | None) -> HttpResponse:
    """`?view=calendar` (or `?tab=calendar`) shows a month, `?tab=past` past items; anything else upcoming ones."""
    view, tab = request.GET.get("view"), request.GET.get("tab")
    field = item_type.date_field
    assert field
    is_grid = layout(item_type, "index") == GRID
    is_listed = "q" in request.GET or view == "list" or tab in {"upcoming", "past"}
    if "calendar" in {view, tab} or (is_grid and not is_listed):
        return show_month(request, item_type, term, tabs=list(_tabs(item_type, "calendar", is_grid=is_grid)))
    if not field.facet:
        # This type's dates do not make items upcoming or past, so they are listed like undated ones.
        tabs = list(_tabs(item_type, "", is_grid=is_grid))
        return listing(request, item_type, term, tabs=tabs, tab="upcoming" if is_grid else "")
    return _show_list(request, item_type, term, "past" if tab == "past" else "", is_grid=is_grid)


def _show_list(request: HttpRequest, item_type: ContentType, term: Term | None, tab: str, *, is_grid: bool) -> HttpResponse:
    narrowed = narrowed_to(request, item_type, term)
    query = narrowed.search or ""
    now = timezone.now()
    found = (past if tab == "past" else upcoming)(narrowed, item_type, now)
    keep_list(item_type, query=query)
    if found.until:
        page_cache.good_until(found.until)
    # A Paginator only needs a length and slicing.
    page: Page[ContentItem] = Paginator(cast(Any, found), PER_PAGE).get_page(request.GET.get("page"))
    context = list_context(item_type, term, page, query=query)
    if tab:
        separator = "&" if "?" in context["meta"]["url"] else "?"
        context["meta"] |= {
            "title": f"Past: {context['meta']['title']}",
            "url": f"{context['meta']['url']}{separator}tab={tab}",
        }
    context |= {
        "tabs": list(_tabs(item_type, tab, is_grid=is_grid, query=query)),
        "tab": tab or ("upcoming" if is_grid else ""),
        "empty": _empty(item_type, tab, query=query),
    }
    return render(request, GRID_LIST if is_grid else list_template(item_type), context)


def _tabs(item_type: ContentType, current: str, *, is_grid: bool, query: str = "") -> Iterator[dict[str, Any]]:
    """Yield the tabs of a list with their query strings. A search is carried from tab to tab."""
    field = item_type.date_field
    searched = {"q": query} if query else {}
    first = {"tab": "upcoming"} if is_grid and not query else {}
    if field and field.facet:
        yield _tab("Upcoming", first | searched, is_current=current == "")
        yield _tab("Past", {"tab": "past"} | searched, is_current=current == "past")
    else:
        yield _tab("List", first, is_current=current == "")
    yield _tab("Calendar", {} if is_grid else {"view": "calendar"}, is_current=current == "calendar")


def _tab(label: str, query: dict[str, str], *, is_current: bool) -> dict[str, Any]:
    return {"label": label, "query": f"?{urlencode(query)}" if query else "", "is_current": is_current}


def _empty(item_type: ContentType, tab: str, *, query: str) -> dict[str, str]:
    """Return the texts of an empty list, with a link to alternatives."""
    if query:
        other = {"q": query} if tab == "past" else {"tab": "past", "q": query}
        link = "Search upcoming dates" if tab == "past" else "Search past dates"
        return {
            "title": "Nothing matches your search",
            "text": "Try fewer or shorter words.",
            "query": f"?{urlencode(other)}",
            "link": link,
        }
    if tab == "past":
        return {
            "title": "Nothing in the past yet",
            "text": "Past dates will be listed here.",
            "query": "",
            "link": "View upcoming dates",
        }
    return {"title": "Nothing coming up", "text": "Check back soon.", "query": "?tab=past", "link": "View past dates"}
