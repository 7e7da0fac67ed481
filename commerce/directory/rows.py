"""The page row that shows listings."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from wagtail import blocks

from cms_api.rows import RecordBlock, RowBlock, heading

from .models import Category
from .resources.pages import TITLE, cache_listings, make_cards
from .selectors.listings import ListingFilter, find_category, newest_listings, with_details

FEATURED = "featured"
#: In front of the slug of a category.
CATEGORY = "category:"


def choices() -> list[tuple[str, str]]:
    """Return the lists that a row can show; those of categories by their slug."""
    categories = ((CATEGORY + slug, f"Category: {name}") for slug, name in Category.objects.values_list("slug", "name"))
    return [(FEATURED, "Featured listings"), *categories]


class DirectoryListingsBlock(RowBlock):
    heading = heading()
    shown = RecordBlock(choices=choices, required=False, label="Listings", help_text="Defaults to the newest ones.")
    count = blocks.IntegerBlock(min_value=1, max_value=24, default=6, label="Number of listings")
    link = blocks.BooleanBlock(required=False, default=True, label="Link to the full list")

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return the `cards` of listings, their `title`, and the `url` of the full list; None without listings."""
        now = cache_listings()
        title, url = "New in the directory", reverse("directory")
        if not value["shown"]:
            found = newest_listings()
        elif value["shown"] == FEATURED:
            found, title, url = ListingFilter(is_featured=True).queryset(), TITLE, f"{url}?featured=1"
        else:
            category = find_category(value["shown"].removeprefix(CATEGORY))
            if category is None:
                return None
            found, title = ListingFilter(category=category.slug).queryset(), category.name
            url = reverse("directory_category", args=[category.slug])
        cards = make_cards(list(with_details(found)[: value["count"]]), now)
        return {"cards": cards, "title": value["heading"] or title, "url": url} if cards else None

    def has_heading(self, value: Any) -> bool:
        """Return True: the row has a heading of its own by default."""
        return True

    class Meta:
        icon = "clipboard-list"
        label = "Directory listings"
        label_format = "{heading} {shown}"
        description = "The newest or the featured listings of the directory, or those of a category."
        preview_value = {"heading": "", "shown": "", "count": 6, "link": True}
