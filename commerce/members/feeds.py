"""The page of plans in the sitemap and in the footer of the site."""

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from cms_api.core.module import FooterLink


class PlansSitemap(Sitemap):
    def items(self) -> list[str]:
        return ["plans"]

    def location(self, item: str) -> str:
        return reverse(item)


def sections() -> dict[str, Sitemap]:
    return {"plans": PlansSitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink("Membership", reverse("plans"))]
