"""Listings in the sitemap, in the footer of the site, and in the site's search."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.urls import reverse

from cms_api.core.module import FooterLink
from cms_api.http.found import find
from cms_api.text.excerpts import join_texts
from cms_api.text.site_search import RANKED_MATCHES, Candidate, Result

from .models import Property
from .resources.facts import short_facts
from .resources.pages import TITLE, cache_listings
from .selectors.listings import price_text, shown_properties
from .types.listings import property_path

_TITLE_PARTS = ("street", "street2", "city", "state", "postal_code", "listing_key", "created_at")


class SearchSitemap(Sitemap):
    """The search, without a date: no single date says when its content last changed."""

    def items(self) -> list[str]:
        return [reverse("real_estate")]

    def location(self, path: str) -> str:
        return path


class PropertySitemap(Sitemap):
    """Listings on the market, oldest first, so that a full page does not change when listings are added."""

    def items(self) -> QuerySet[Property]:
        cache_listings()
        return shown_properties().order_by("created_at", "id").only("slug", "updated_at")

    def location(self, row: Property) -> str:
        return property_path(row.slug)

    def lastmod(self, row: Property) -> datetime:
        return row.updated_at


def sections() -> dict[str, Sitemap]:
    return {"real-estate": SearchSitemap(), "real-estate-listings": PropertySitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink(TITLE, reverse("real_estate"))]


class PropertySource:
    """Listings on the market, for the site's search."""

    def candidates(self, text: str) -> Iterable[Candidate]:
        cache_listings()
        rows = find(shown_properties(), text).queryset.only(*_TITLE_PARTS)[:RANKED_MATCHES]
        return [Candidate(row.pk, row.title, row.created_at) for row in rows]

    def results(self, keys: Sequence[int]) -> Mapping[int, Result]:
        cache_listings()
        return {row.pk: _result(row) for row in shown_properties().filter(pk__in=keys)}


LISTINGS = PropertySource()


def _result(row: Property) -> Result:
    return Result(
        title=row.title,
        url=property_path(row.slug),
        kind="Property",
        text=join_texts([", ".join([price_text(row), *short_facts(row)]), row.description, row.property_type]),
    )
