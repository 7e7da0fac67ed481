"""The address of the sign-up page for the sitemap."""

from django.contrib.sitemaps import Sitemap
from django.urls import reverse


class SignUpSitemap(Sitemap):
    """One page, and no date: what it shows is older or younger than what it is for."""

    def items(self) -> list[str]:
        return [reverse("subscribe")]

    def location(self, path: str) -> str:
        return path


def sections() -> dict[str, Sitemap]:
    return {"sign-up": SignUpSitemap()}
