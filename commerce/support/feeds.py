"""The help desk in the sitemap and in the footer of the site."""

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from cms_api.core.module import FooterLink

from .resources.pages import TITLE


class SupportSitemap(Sitemap):
    """The form."""

    def items(self) -> list[str]:
        return [reverse("support")]

    def location(self, path: str) -> str:
        return path


def sections() -> dict[str, Sitemap]:
    return {"support": SupportSitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink(TITLE, reverse("support"))]
