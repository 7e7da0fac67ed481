"""Page types."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.text import Truncator
from wagtail.admin.panels import FieldPanel
from wagtail.fields import RichTextField
from wagtail.models import Page

from cms_api.content.selectors import latest_by_type
from cms_api.core.html import strip_tags


class HomePage(Page):
    """The front of the site: an introduction, then the latest items of every content type that has pages."""

    introduction = RichTextField(blank=True, features=["bold", "italic", "link"])

    content_panels = [*Page.content_panels, FieldPanel("introduction")]
    template = "home/home_page.html"
    max_count = 1
    subpage_types: list[str] = []

    def get_context(self, request: HttpRequest, *args: Any, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(request, *args, **kwargs)
        meta = {
            "title": self.seo_title,
            "description": self.search_description or Truncator(strip_tags(self.introduction)).chars(160),
            "url": f"{settings.BASE_URL}/",
        }
        return {**context, "meta": meta, "sections": latest_by_type(3)}
