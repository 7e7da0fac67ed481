"""The page row that lists the newest items of a type."""

from collections.abc import Iterator, Mapping
from typing import Any

from wagtail import blocks

from cms_api.adminkit.widgets import KeptSelect
from cms_api.http import page_cache
from cms_api.rows import RecordBlock, RowBlock, heading

from .selectors import find_type, is_visible_type, listed_types, newest, order_version, visible_types

#: The number of items that the layout with a large first item is made for; with others, the columns are equal.
DEFAULT_ITEMS = 3

LAYOUTS = [("fill", "Fill the width"), ("columns", "Equal columns"), ("lead", "Large first item")]


class ItemListBlock(RowBlock):
    heading = heading()
    type = RecordBlock(choices=listed_types, label="Content type", widget=KeptSelect(is_offered=is_visible_type))
    count = blocks.IntegerBlock(min_value=1, max_value=24, default=DEFAULT_ITEMS, label="Number of items")
    layout = blocks.ChoiceBlock(choices=LAYOUTS, default="fill", help_text="A large first item needs exactly three items.")
    link = blocks.BooleanBlock(required=False, default=True, label="Link to the full list")

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return `type`, its newest `items`, their `title` and `columns`; None if the type is hidden or has no items."""
        item_type = find_type(value["type"])
        if item_type is None:
            return None
        page_cache.depends_on(order_version(item_type.pk))
        items = newest(item_type, value["count"])
        if not items:
            return None
        title = value["heading"] or item_type.name_plural
        return {"type": item_type, "items": items, "title": title, "columns": _columns(value["layout"], len(items))}

    def starting_values(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each type with pages, the first with a large item. Upcoming and past items have rows of their own."""
        undated = [
            found.slug
            for found in visible_types().values()
            if found.has_detail and not (found.date_field and found.date_field.facet)
        ]
        for number, slug in enumerate(undated):
            layout = "columns" if number else "lead"
            yield {"heading": "", "type": slug, "count": DEFAULT_ITEMS, "layout": layout, "link": True}

    def has_heading(self, value: Any) -> bool:
        """Return True: without a heading of its own, the row shows the name of the type."""
        return True

    class Meta:
        icon = "list-ul"
        label = "Latest items"
        label_format = "{heading} {type}"
        description = "The newest items of a content type, always up to date."
        preview_value = {"heading": "", "type": "blog-post", "count": DEFAULT_ITEMS, "layout": "fill", "link": True}


def _columns(layout: str, count: int) -> str:
    """Return the class of the list of cards."""
    if layout == "lead" and count == DEFAULT_ITEMS:
        return "cards--lead"
    return "row__cards" if layout == "fill" else "cards--grid"
