"""The menu in the sitemap, in the footer of the site, and in the site's search."""

from collections.abc import Iterable, Mapping, Sequence

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from cms_api.core.module import FooterLink
from cms_api.http import page_cache
from cms_api.text.search import matching
from cms_api.text.site_search import RANKED_MATCHES, Candidate, Result

from .models import MenuItem
from .selectors.menu import shown_dishes
from .types.menu import VERSION


class MenuSitemap(Sitemap):
    """The menu, and the pages of its dishes."""

    def items(self) -> list[str]:
        page_cache.depends_on(VERSION)
        ids = shown_dishes().values_list("pk", flat=True)
        return [reverse("restaurant_menu"), *(reverse("restaurant_dish", args=[pk]) for pk in ids)]

    def location(self, path: str) -> str:
        return path


def sections() -> dict[str, Sitemap]:
    return {"menu": MenuSitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink("Menu", reverse("restaurant_menu"))]


class DishSource:
    """Dishes on the menu, for the site's search."""

    def candidates(self, text: str) -> Iterable[Candidate]:
        page_cache.depends_on(VERSION)
        rows = matching(shown_dishes(), text).order_by("-created_at", "-id").values_list("pk", "name", "created_at")
        return [Candidate(*row) for row in rows[:RANKED_MATCHES]]

    def results(self, keys: Sequence[int]) -> Mapping[int, Result]:
        return {dish.pk: _result(dish) for dish in shown_dishes().filter(pk__in=keys)}


DISHES = DishSource()


def _result(dish: MenuItem) -> Result:
    return Result(title=dish.name, url=reverse("restaurant_dish", args=[dish.pk]), kind="Dish", text=dish.description)
