"""The sign-up page in the sitemap and in the footer of the site."""

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from cms_api.core.module import FooterLink


class SignUpSitemap(Sitemap):
    """One page, without a date: no single date says when its content last changed."""

    def items(self) -> list[str]:
        return [reverse("subscribe")]

    def location(self, path: str) -> str:
        return path


def sections() -> dict[str, Sitemap]:
    return {"sign-up": SignUpSitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink("Subscribe", reverse("subscribe"))]
