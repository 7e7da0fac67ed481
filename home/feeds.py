"""The sitemap section of pages."""

from datetime import datetime
from typing import Any

from django.contrib.sitemaps import Sitemap
from wagtail.models import Page

from cms_api.http import page_cache

from .models import RecordTemplate
from .selectors import PAGES, address, public_pages


class PageSitemap(Sitemap):
    """The public pages; a record template has no URL of its own."""

    def items(self) -> Any:
        page_cache.depends_on(PAGES)
        return public_pages().not_type(RecordTemplate).order_by("path")

    def location(self, page: Page) -> str:
        return address(page)

    def lastmod(self, page: Page) -> datetime | None:
        moment: datetime | None = page.last_published_at or page.latest_revision_created_at
        return moment

    def get_latest_lastmod(self) -> datetime | None:
        moment: datetime | None = self.items().order_by("-last_published_at").values_list("last_published_at", flat=True).first()
        return moment


def sections() -> dict[str, Sitemap]:
    return {"pages": PageSitemap()}
