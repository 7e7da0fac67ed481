"""The page of plans in the sitemap."""

from django.contrib.sitemaps import Sitemap
from django.urls import reverse


class PlansSitemap(Sitemap):
    def items(self) -> list[str]:
        return ["plans"]

    def location(self, item: str) -> str:
        return reverse(item)


def sections() -> dict[str, Sitemap]:
    return {"plans": PlansSitemap()}
