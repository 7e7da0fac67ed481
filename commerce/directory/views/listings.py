"""The directory, its categories, and the page of a listing. The pages are the same for every signed-out visitor."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from cms_api.core.not_found import found_or_404
from cms_api.flags.selectors import get_setting
from cms_api.http import page_cache
from cms_api.http.found import Found, SearchPaginator, find
from cms_api.rows.additions import additions_to
from commerce.common.types.places import Place

from ..models import Category, Listing
from ..resources import openings, pages
from ..selectors.listings import (
    MAX_CATEGORY_LISTINGS,
    ListingFilter,
    counted_categories,
    find_category,
    find_place,
    public_listing,
    shown_categories,
    with_details,
)
from ..types.listings import ExpiredPage

PER_PAGE = 24
MAX_QUERY = 200
MAX_NEAR_CHARACTERS = 100
#: In the site's unit of distances.
RADII = (5, 10, 25, 50, 100)
DEFAULT_RADIUS = 25
#: Of a list of open listings: others open and close in the meantime.
OPEN_FOR = timedelta(minutes=2)


@dataclass(frozen=True)
class Search:
    """The visitor's search and filters, as their URL says; values that make no sense are left out."""

    text: str = ""
    #: A place, as typed.
    near: str = ""
    radius: int = DEFAULT_RADIUS
    is_open: bool = False
    is_featured: bool = False
    #: None without `near`, or if nobody knows the place.
    place: Place | None = None

    @property
    def is_lost(self) -> bool:
        """Return whether nobody knows the place."""
        return bool(self.near) and self.place is None

    @property
    def filters(self) -> int:
        """Return how many filters are set, besides the search."""
        return bool(self.near) + self.is_open + self.is_featured

    @property
    def query(self) -> str:
        """Return the query string of the search, without the number of the page."""
        values: list[tuple[str, str]] = [("q", self.text)] if self.text else []
        values += [("near", self.near)] if self.near else []
        values += [("radius", str(self.radius))] if self.near and self.radius != DEFAULT_RADIUS else []
        values += [(name, "1") for name, is_set in (("open", self.is_open), ("featured", self.is_featured)) if is_set]
        return urlencode(values)


@dataclass(frozen=True)
class Facet:
    """A category to choose, with the number of listings that the search finds in it."""

    name: str
    url: str
    count: int | None
    is_chosen: bool
    #: Whether there are more than `count`.
    has_more: bool = False


@require_safe
def directory(request: HttpRequest) -> HttpResponse:
    """Show the directory."""
    return _list(request, None)


@require_safe
def category(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the listings of a category."""
    found = found_or_404(find_category(slug))
    return _list(request, found)


def _list(request: HttpRequest, category: Category | None) -> HttpResponse:
    page_cache.enable()
    now = pages.cache_listings()
    search = read_search(request.GET)
    if search.is_open:
        page_cache.good_until(now + OPEN_FOR)
    everywhere = ListingFilter(
        search=search.text,
        is_open=search.is_open,
        is_featured=search.is_featured,
        near=search.place,
        radius_km=search.radius * pages.unit_km(),
    )
    found = replace(everywhere, category=category.slug if category else "")
    many, few = (with_details(found.without_words(are_few=each)) for each in (False, True))
    paginator = SearchPaginator(many, PER_PAGE, words=search.text, few=few)
    page = paginator.get_page(request.GET.get("page"))
    shown = list(page.object_list)
    context = {
        "category": category,
        "facets": _facets(everywhere, category, search, paginator.found),
        "search": search,
        "radii": [(radius, f"{radius} {pages.unit_name()}") for radius in RADII],
        "page": page,
        "pages": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "kept": search.query,
        "cards": pages.make_cards(shown, now),
        "map": pages.map_of_listings(shown, f"Map of {category.name if category else 'the listings on this page'}"),
        "path": request.path,
        "meta": pages.list_meta(category, page.number, is_filtered=bool(search.text or search.filters)),
    }
    return render(request, "directory/list.html", context)


def read_search(query: QueryDict) -> Search:
    """Read a visitor's search."""
    near = _text(query, "near", MAX_NEAR_CHARACTERS)
    radius = next((each for each in RADII if str(each) == query.get("radius")), DEFAULT_RADIUS)
    return Search(
        text=_text(query, "q", MAX_QUERY),
        near=near,
        radius=radius,
        is_open=query.get("open") == "1",
        is_featured=query.get("featured") == "1",
        place=find_place(near) if near else None,
    )


def _text(query: QueryDict, name: str, longest: int) -> str:
    return query.get(name, "").replace("\0", "").strip()[:longest]


def _facets(everywhere: ListingFilter, chosen: Category | None, search: Search, shown: Found) -> Sequence[Facet]:
    """Return the categories of the listings that are found, and the chosen one, also if none of them is in it.

    If a search finds more than are counted, it is every category that has listings, without numbers.
    """
    is_all = everywhere == ListingFilter(radius_km=everywhere.radius_km)
    # Everywhere there are as many as in a category, or more.
    is_shown = is_all or chosen is None or not shown.is_exact
    found = shown if is_shown else find(everywhere.without_words(), search.text)
    has_counts = is_all or found.is_exact
    counted = list(shown_categories() if is_all or not has_counts else counted_categories(found.queryset))
    kept = f"?{search.query}" if search.query else ""
    facets = [Facet("All categories", reverse("directory") + kept, None, chosen is None)]
    if chosen and all(each.pk != chosen.pk for each in counted):
        counted.append(chosen)
    for each in counted:
        url = reverse("directory_category", args=[each.slug]) + kept
        number = getattr(each, "live_count", 0) if has_counts else 0
        count = min(number, MAX_CATEGORY_LISTINGS) if has_counts else None
        facets.append(Facet(each.name, url, count, chosen is not None and each.pk == chosen.pk, number > MAX_CATEGORY_LISTINGS))
    return facets


@require_safe
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a listing; one whose term has ended says so, if the site wants that."""
    found = found_or_404(public_listing(slug))
    now = timezone.now()
    if found.is_expired(now):
        return _show_expired(request, found)
    page_cache.enable()
    pages.cache_listing(found)
    additions = additions_to("directory.listing", found, request)
    context = {
        "listing": found,
        "trail": pages.trail_of(found),
        "pictures": pages.pictures_of(found),
        "description": pages.description_html(found.description),
        "lines": pages.lines_of(found),
        "phone_url": pages.phone_url(found.phone),
        "website_name": pages.website_name(found.website),
        "opening": pages.current_opening(found, now),
        **_hours(found, now),
        "map": pages.map_of_listing(found),
        "additions": additions,
        "meta": additions.complete(pages.listing_meta(found, now)),
    }
    return render(request, "directory/listing.html", context)


def _hours(listing: Listing, now: datetime) -> dict[str, object]:
    return {
        "week": openings.week_of(listing, now),
        "special_days": openings.special_days_of(listing, now),
        "zone": openings.zone_name(listing, now),
    }


def _show_expired(request: HttpRequest, listing: Listing) -> HttpResponse:
    if get_setting("directory.expired_page") != ExpiredPage.NOTICE:
        raise Http404
    meta = {"title": listing.name, "unlisted": True}
    return render(request, "directory/expired.html", {"listing": listing, "meta": meta}, status=404)
