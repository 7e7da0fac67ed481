"""The sign-up page in the sitemap."""

from django.contrib.sitemaps import Sitemap
from django.urls import reverse


class SignUpSitemap(Sitemap):
    """One page, without a date: no single date says when its content last changed."""

    def items(self) -> list[str]:
        return [reverse("subscribe")]

    def location(self, path: str) -> str:
        return path


def sections() -> dict[str, Sitemap]:
    return {"sign-up": SignUpSitemap()}
