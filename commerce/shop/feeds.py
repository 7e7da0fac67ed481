"""The shop in the sitemap, in the footer of the site, and in the site's search."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.contrib.sitemaps import Sitemap
from django.db.models import QuerySet
from django.urls import reverse

from cms_api.core.module import FooterLink
from cms_api.http import page_cache
from cms_api.text.excerpts import join_texts
from cms_api.text.html import strip_tags
from cms_api.text.search import matching
from cms_api.text.site_search import RANKED_MATCHES, Candidate, Result

from .models import Product
from .selectors.products import VERSION, published_products, shown_categories


class CatalogueSitemap(Sitemap):
    """The catalogue and its categories, without a date: no single date says when their content last changed."""

    def items(self) -> list[str]:
        page_cache.depends_on(VERSION)
        return [reverse("shop"), *(reverse("shop_category", args=[category.slug]) for category in shown_categories())]

    def location(self, path: str) -> str:
        return path


class ProductSitemap(Sitemap):
    """Published products, oldest first, so that a full page does not change when products are added."""

    def items(self) -> QuerySet[Product]:
        page_cache.depends_on(VERSION)
        return published_products().order_by("created_at", "id").only("slug", "updated_at")

    def location(self, product: Product) -> str:
        return reverse("shop_product", args=[product.slug])

    def lastmod(self, product: Product) -> datetime:
        return product.updated_at


def sections() -> dict[str, Sitemap]:
    return {"shop": CatalogueSitemap(), "shop-products": ProductSitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink("Shop", reverse("shop"))]


class ProductSource:
    """Published products, for the site's search."""

    def candidates(self, text: str) -> Iterable[Candidate]:
        page_cache.depends_on(VERSION)
        rows = matching(published_products(), text).order_by("-created_at", "-id").values_list("pk", "name", "created_at")
        return [Candidate(*row) for row in rows[:RANKED_MATCHES]]

    def results(self, keys: Sequence[int]) -> Mapping[int, Result]:
        return {product.pk: _result(product) for product in published_products().filter(pk__in=keys)}


PRODUCTS = ProductSource()


def _result(product: Product) -> Result:
    return Result(
        title=product.name,
        url=reverse("shop_product", args=[product.slug]),
        kind="Product",
        text=join_texts([product.summary, strip_tags(product.description)]),
    )
