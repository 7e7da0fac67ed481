"""Reviews in the sitemap and in the footer of the site."""

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from cms_api.core.module import FooterLink

from .resources.pages import TITLE


class ReviewsSitemap(Sitemap):
    """The page of all reviews; those of one record are not indexed."""

    def items(self) -> list[str]:
        return [reverse("reviews")]

    def location(self, path: str) -> str:
        return path


def sections() -> dict[str, Sitemap]:
    return {"reviews": ReviewsSitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink(TITLE, reverse("reviews"))]
