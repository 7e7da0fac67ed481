"""The page row that shows the newest reviews with their average."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from wagtail import blocks

from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http import page_cache
from cms_api.rows import RowBlock, heading

from .resources import pages
from .selectors import aggregate_of, public_reviews
from .types import VERSION


class ReviewsBlock(RowBlock):
    heading = heading()
    count = blocks.IntegerBlock(
        min_value=1,
        max_value=12,
        default=3,
        label="Number of reviews",
        help_text="The newest ones, whatever their rating.",
    )

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return what the template describes; None before the first review."""
        page_cache.depends_on(VERSION, FLAGS)
        summary = pages.summary_of(aggregate_of(public_reviews()))
        if summary is None:
            return None
        return {
            "title": value["heading"] or pages.TITLE,
            "summary": summary,
            "reviews": pages.show_reviews(public_reviews()[: value["count"]]),
            "url": reverse("reviews"),
        }

    def has_heading(self, value: Any) -> bool:
        """Return True: the row has a heading of its own by default."""
        return True

    class Meta:
        icon = "pick"
        label = "Reviews"
        label_format = "{heading}"
        description = "The newest customer reviews, with their average."
        preview_value = {"heading": "", "count": 3}
