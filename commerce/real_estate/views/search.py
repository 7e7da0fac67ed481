"""The search for listings. The page is the same for every signed-out visitor."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from cms_api.http import page_cache
from cms_api.http.found import SearchPaginator
from commerce.common.resources.maps import AreaSearch

from ..resources import pages
from ..resources.criteria import Criteria, read_criteria
from ..resources.facts import number_text
from ..selectors.listings import Facet, Facets, shown_properties, with_covers
from ..types.listings import PropertyStatus, fold_key
from ..types.searches import SORTS

PER_PAGE = 24
#: Cities to choose from.
MAX_CITIES = 12
ROOMS = (1, 2, 3, 4, 5)
STATUSES = (("", "Any"), (PropertyStatus.ACTIVE, "Active"), (PropertyStatus.PENDING, "Pending"))


@dataclass(frozen=True)
class Choice:
    """A city or property type to choose, with the number of listings that the search finds there."""

    name: str
    url: str
    count: int | None
    is_chosen: bool
    has_more: bool = False


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Show the listings on the market that match the visitor's search."""
    page_cache.enable()
    pages.cache_listings()
    criteria = read_criteria(request.GET)
    wanted, query = criteria.wanted, criteria.query
    found = with_covers(shown_properties(replace(wanted, search=None), sort=criteria.sort))
    paginator = SearchPaginator(found, PER_PAGE, words=wanted.search or "")
    page, facets = paginator.get_page(request.GET.get("page")), Facets(wanted, paginator.found)
    shown = list(page.object_list)
    context = {
        "title": pages.TITLE,
        "path": request.path,
        "criteria": criteria,
        "wanted": wanted,
        "types": _types(criteria, facets),
        "cities": _cities(criteria, facets),
        "beds": _rooms(wanted.min_beds),
        "baths": _rooms(wanted.min_baths),
        "statuses": STATUSES,
        "sorts": [(key, label) for key, (label, _) in SORTS.items()],
        "everywhere": criteria.without("box").path,
        "save_url": reverse("saved_search_new") + (f"?{query}" if query else ""),
        "page": page,
        "pages": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "kept": query,
        "cards": pages.make_cards(shown),
        "map": pages.map_of_listings(shown, _area_search(criteria)),
        "notice": pages.notice(),
        "meta": pages.list_meta(page.number, is_filtered=bool(query)),
    }
    return render(request, "real_estate/search.html", context)


def _area_search(criteria: Criteria) -> AreaSearch:
    query = criteria.without("box").query
    box = criteria.wanted.box
    return AreaSearch(f"{reverse('real_estate')}?{query}{'&' if query else ''}box=", str(box) if box else "")


def _types(criteria: Criteria, facets: Facets) -> list[tuple[str, str, bool]]:
    """Return the options for the type: value, label with its number of listings, and whether it is chosen."""
    chosen = criteria.wanted.property_type
    found = _with_chosen(facets.property_types(criteria.without("property_type").wanted), chosen)
    return [(each.value, _label(each), _is_same(each.value, chosen)) for each in found]


def _label(each: Facet) -> str:
    return each.value if each.count is None else f"{each.value} ({number_text(each.count)}{'+' if each.has_more else ''})"


def _cities(criteria: Criteria, facets: Facets) -> Sequence[Choice]:
    """Return the cities of the listings that are found, and the chosen one; empty if there is nothing to choose."""
    chosen = criteria.wanted.city
    elsewhere = criteria.without("city", "state", "postal_code")
    # More than are shown, so that the chosen one has its number.
    counted = facets.cities(elsewhere.wanted)
    shown = [each for place, each in enumerate(counted) if place < MAX_CITIES or _is_same(each.value, chosen)]
    found = _with_chosen(shown, chosen)
    if len(found) < 2 and not chosen:
        return ()
    return [
        Choice("All cities", elsewhere.path, None, not criteria.area),
        *(
            Choice(each.value, elsewhere.in_city(each.value).path, each.count, _is_same(each.value, chosen), each.has_more)
            for each in found
        ),
    ]


def _with_chosen(found: Sequence[Facet], chosen: str | None) -> Sequence[Facet]:
    """Return values with the chosen one, also if no listing has it."""
    has_chosen = not chosen or any(_is_same(each.value, chosen) for each in found)
    return found if has_chosen else [*found, Facet(chosen or "", 0)]


def _is_same(value: str, chosen: str | None) -> bool:
    return bool(chosen) and fold_key(value) == fold_key(chosen or "")


def _rooms(chosen: object) -> list[tuple[str, bool]]:
    """Return the options for a least number of rooms: value, and whether it is chosen."""
    values = [str(each) for each in ROOMS]
    if chosen is not None and str(chosen) not in values:
        values.append(str(chosen))
    return [(value, value == str(chosen)) for value in values]
