"""The directory in the sitemap, in the footer of the site, and in the site's search."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.urls import reverse

from cms_api.core.module import FooterLink
from cms_api.http.found import find
from cms_api.text.excerpts import join_texts
from cms_api.text.site_search import RANKED_MATCHES, Candidate, Result

from .models import Listing
from .resources.pages import TITLE, cache_listings, path_of
from .selectors.listings import live_listings, newest_listings, shown_categories


class DirectorySitemap(Sitemap):
    """The list and its categories, without a date: no single date says when their content last changed."""

    def items(self) -> list[str]:
        cache_listings()
        categories = (reverse("directory_category", args=[category.slug]) for category in shown_categories())
        return [reverse("directory"), *categories]

    def location(self, path: str) -> str:
        return path


class ListingSitemap(Sitemap):
    """Live listings, oldest first, so that a full page does not change when listings are added."""

    def items(self) -> QuerySet[Listing]:
        cache_listings()
        return live_listings().order_by("created_at", "id").only("slug", "updated_at")

    def location(self, listing: Listing) -> str:
        return path_of(listing)

    def lastmod(self, listing: Listing) -> datetime:
        return listing.updated_at


def sections() -> dict[str, Sitemap]:
    return {"directory": DirectorySitemap(), "directory-listings": ListingSitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink(TITLE, reverse("directory"))]


class ListingSource:
    """Live listings, for the site's search."""

    def candidates(self, text: str) -> Iterable[Candidate]:
        cache_listings()
        rows = find(newest_listings(), text).queryset.values_list("pk", "name", "created_at")
        return [Candidate(*row) for row in rows[:RANKED_MATCHES]]

    def results(self, keys: Sequence[int]) -> Mapping[int, Result]:
        return {listing.pk: _result(listing) for listing in live_listings().filter(pk__in=keys)}


LISTINGS = ListingSource()


def _result(listing: Listing) -> Result:
    return Result(
        title=listing.name,
        url=path_of(listing),
        kind="Listing",
        text=join_texts([listing.description, listing.city]),
    )
