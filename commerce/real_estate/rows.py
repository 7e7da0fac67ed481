"""The page row that shows property listings."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from wagtail import blocks
from wagtail.blocks.struct_block import StructBlockValidationError

from cms_api.rows import RowBlock, heading

from .resources.criteria import Criteria
from .resources.pages import TITLE, cache_listings, make_cards
from .selectors.listings import shown_properties, with_covers
from .types.listings import MAX_PRICE
from .types.searches import TEXTS, SearchFilter


class PropertyListingsBlock(RowBlock):
    heading = heading()
    city = blocks.CharBlock(required=False, max_length=TEXTS["city"], help_text="Defaults to all cities.")
    property_type = blocks.CharBlock(
        required=False,
        max_length=TEXTS["property_type"],
        label="Property type",
        help_text="As in the feed, such as Residential. Defaults to all types.",
    )
    min_price = blocks.IntegerBlock(required=False, min_value=0, max_value=MAX_PRICE, label="Price from")
    max_price = blocks.IntegerBlock(required=False, min_value=0, max_value=MAX_PRICE, label="Price to")
    count = blocks.IntegerBlock(min_value=1, max_value=24, default=6, label="Number of listings")
    link = blocks.BooleanBlock(required=False, default=True, label="Link to the full list")

    def clean(self, value: Any) -> Any:
        cleaned = super().clean(value)
        low, high = cleaned["min_price"], cleaned["max_price"]
        if low and high and low > high:
            raise StructBlockValidationError({"max_price": ValidationError("Enter at least the price from.")})
        return cleaned

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return the `cards` of the newest listings, their `title`, and the `url` of all of them; None without listings."""
        cache_listings()
        wanted = SearchFilter(
            city=value["city"] or None,
            property_type=value["property_type"] or None,
            min_price=value["min_price"] or None,
            max_price=value["max_price"] or None,
        )
        cards = make_cards(list(with_covers(shown_properties(wanted))[: value["count"]]))
        if not cards:
            return None
        title = f"{TITLE} in {wanted.city}" if wanted.city else "New on the market"
        return {"cards": cards, "title": value["heading"] or title, "url": Criteria(wanted).path}

    def has_heading(self, value: Any) -> bool:
        """Return True: the row has a heading of its own by default."""
        return True

    class Meta:
        icon = "home"
        label = "Property listings"
        label_format = "{heading} {city}"
        description = "The newest property listings, or those of a city, type or price range."
        preview_value = {
            "heading": "",
            "city": "",
            "property_type": "",
            "min_price": None,
            "max_price": None,
            "count": 6,
            "link": True,
        }
