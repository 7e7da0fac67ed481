"""The page of a listing. It is the same for every signed-out visitor."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from cms_api.core.not_found import found_or_404
from cms_api.http import page_cache
from cms_api.rows.additions import additions_to

from ..models import Property
from ..resources import facts, pages
from ..resources.criteria import Criteria
from ..resources.photos import pictures_of
from ..selectors.listings import price_text, public_property, replacement_of, similar_properties, with_covers
from ..types.listings import property_path
from ..types.searches import SearchFilter

#: Listings below another one.
SIMILAR_LISTINGS = 3


@require_safe
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a listing; a former one leads to the listing that has replaced it."""
    found = public_property(slug)
    if found is None:
        newer = found_or_404(replacement_of(slug))
        response: HttpResponse = redirect(property_path(newer.slug), permanent=True)
        # The former one comes back if the newer one is withdrawn.
        response.headers["Cache-Control"] = "no-cache"
        return response
    page_cache.enable()
    pages.cache_listings()
    pictures = pictures_of([found])[found.pk]
    additions = additions_to("real_estate.listing", found, request)
    trail = _trail(found)
    context = {
        "listing": found,
        "trail": trail,
        "price": price_text(found),
        "status": facts.status_label(found),
        "sizes": facts.short_facts(found),
        "facts": facts.facts_of(found),
        "contact": facts.contact_of(found),
        "pictures": pictures,
        "map": pages.map_of_listing(found),
        "similar": pages.make_cards(list(with_covers(similar_properties(found, SIMILAR_LISTINGS)))),
        "notice": pages.notice(),
        "additions": additions,
        "meta": additions.complete(pages.listing_meta(found, pictures, trail)),
    }
    return render(request, "real_estate/listing.html", context)


def _trail(found: Property) -> list[tuple[str, str]]:
    """Return the pages above a listing: title and path."""
    above = [(pages.TITLE, reverse("real_estate"))]
    if found.city:
        above.append((found.city, Criteria(SearchFilter(city=found.city)).path))
    return above
