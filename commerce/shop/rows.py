"""The page row that shows products."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from wagtail import blocks

from cms_api.http import page_cache
from cms_api.rows import RecordBlock, RowBlock, heading

from .models import ProductCategory
from .resources.pages import make_cards
from .selectors.products import VERSION, find_category, newest_products


def listed_categories() -> list[tuple[str, str]]:
    """Return the categories as choices: slug and name."""
    return list(ProductCategory.objects.values_list("slug", "name"))


class ProductsBlock(RowBlock):
    heading = heading()
    category = RecordBlock(choices=listed_categories, required=False, help_text="Defaults to all categories.")
    count = blocks.IntegerBlock(min_value=1, max_value=24, default=4, label="Number of products")
    link = blocks.BooleanBlock(required=False, default=True, label="Link to the full list")

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return the `cards` of the newest products, their `title`, and the `url` of the full list; None without products."""
        page_cache.depends_on(VERSION)
        category = find_category(value["category"]) if value["category"] else None
        if value["category"] and category is None:
            return None
        cards = make_cards(newest_products(category.pk if category else None, value["count"]))
        if not cards:
            return None
        title = value["heading"] or (category.name if category else "New in the shop")
        url = reverse("shop_category", args=[category.slug]) if category else reverse("shop")
        return {"cards": cards, "title": title, "url": url}

    def has_heading(self, value: Any) -> bool:
        """Return True: the row has a heading of its own by default."""
        return True

    class Meta:
        icon = "tag"
        label = "Products"
        label_format = "{heading} {category}"
        description = "The newest products of the shop, or of a category."
        preview_value = {"heading": "", "category": "", "count": 4, "link": True}
