"""The page row that shows a category of the menu."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from wagtail import blocks

from cms_api.http import page_cache
from cms_api.rows import RecordBlock, RowBlock, heading

from .models import MenuCategory
from .resources.pages import sections_of
from .selectors.menu import menu
from .types.menu import VERSION


def listed_categories() -> list[tuple[str, str]]:
    """Return the categories as choices: id and name."""
    return [(str(pk), name) for pk, name in MenuCategory.objects.values_list("pk", "name")]


class MenuBlock(RowBlock):
    heading = heading()
    category = RecordBlock(choices=listed_categories, required=False, help_text="Defaults to the first category.")
    link = blocks.BooleanBlock(required=False, default=True, label="Link to the whole menu")

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return the `dishes` of a category, its `title`, and the `url` of the menu; None without dishes."""
        page_cache.depends_on(VERSION)
        shown = [each for each in sections_of(menu()) if value["category"] in {"", None, str(each.pk)}]
        if not shown:
            return None
        return {"dishes": shown[0].dishes, "title": value["heading"] or shown[0].name, "url": reverse("restaurant_menu")}

    def has_heading(self, value: Any) -> bool:
        """Return True: the row has a heading of its own by default."""
        return True

    class Meta:
        icon = "list-ul"
        label = "Menu"
        label_format = "{heading}"
        description = "The dishes of a category of the menu."
        preview_value = {"heading": "", "category": "", "link": True}
