"""The page row that lists the newest items of a type."""

from collections.abc import Mapping
from typing import Any

from wagtail import blocks

from cms_api.http import page_cache
from cms_api.rows import RowBlock, heading

from .selectors import find_type, listed_types, order_version, published_items


class ItemListBlock(RowBlock):
    heading = heading()
    type = blocks.ChoiceBlock(choices=listed_types, label="Content type")
    count = blocks.IntegerBlock(min_value=1, max_value=24, default=3)
    link = blocks.BooleanBlock(required=False, default=True, label="Link to the full list")

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return `type` and its newest `items`, or None if the type is hidden from visitors or has no items."""
        item_type = find_type(value["type"])
        if item_type is None:
            return None
        page_cache.depends_on(order_version(item_type.pk))
        items = list(published_items(item_type)[: value["count"]])
        return {"type": item_type, "items": items} if items else None

    def has_heading(self, value: Any) -> bool:
        """Return True: without a heading of its own, the row shows the name of the type."""
        return True

    class Meta:
        icon = "list-ul"
        label = "Item list"
        label_format = "{heading} {type}"
        description = "The newest items of a content type, always up to date."
        preview_value = {"heading": "", "type": "blog-post", "count": 3, "link": True}
