"""Links to pages in rich text: one to a template whose type is hidden is plain text, like one to a page that was deleted."""

from typing import Any

from wagtail import hooks
from wagtail.models import Page
from wagtail.rich_text.feature_registry import FeatureRegistry
from wagtail.rich_text.pages import PageLinkHandler

from ..selectors import hidden_templates


class PublicPageLinkHandler(PageLinkHandler):
    @classmethod
    def get_many(cls, attrs_list: list[dict[str, Any]]) -> list[Page | None]:
        hidden = hidden_templates()
        return [None if page and page.pk in hidden else page for page in super().get_many(attrs_list)]


# After Wagtail's own.
@hooks.register("register_rich_text_features", order=1)
def register_page_links(features: FeatureRegistry) -> None:
    features.register_link_type(PublicPageLinkHandler)
