"""The page row that lists what is coming up."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils import timezone
from wagtail import blocks

from cms_api.adminkit.widgets import KeptSelect
from cms_api.content.selectors import all_types, is_visible_type, listed_types, order_version, visible_types
from cms_api.http import page_cache
from cms_api.rows import RecordBlock, RowBlock, heading

from .selectors.dates import coming_up, has_upcoming


def listed_dated_types() -> list[tuple[str, str]]:
    """Return choices (slug and name) of the content types whose dates make items upcoming or past."""
    return [(slug, name) for slug, name in listed_types() if has_upcoming(all_types()[slug])]


class ComingUpBlock(RowBlock):
    heading = heading()
    type = RecordBlock(
        choices=listed_dated_types,
        required=False,
        label="Content type",
        widget=KeptSelect(is_offered=is_visible_type),
        help_text="Defaults to all content types with upcoming dates.",
    )
    count = blocks.IntegerBlock(min_value=1, max_value=24, default=3, label="Number of items")
    link = blocks.BooleanBlock(required=False, default=True, label="Link to the full list")

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return `items`, each at its next date, their `title`, `columns`, and `type` if they are of one; None without any."""
        wanted = value["type"]
        types = [found for slug, found in visible_types().items() if wanted in {slug, "", None} and has_upcoming(found)]
        page_cache.depends_on(*(order_version(found.pk) for found in types))
        items, until = coming_up(types, timezone.now(), value["count"])
        if until:
            page_cache.good_until(until)
        if not items:
            return None
        only = types[0] if len(types) == 1 else None
        return {"items": items, "type": only, "title": value["heading"] or "Coming up", "columns": "cards--grid"}

    def starting_values(self) -> Iterator[Mapping[str, Any]]:
        yield {"heading": "", "type": "", "count": 3, "link": True}

    def has_heading(self, value: Any) -> bool:
        """Return True: the row has a heading of its own by default."""
        return True

    class Meta:
        icon = "calendar-alt"
        label = "Coming up"
        label_format = "{heading} {type}"
        description = "The next events by date. Past ones disappear by themselves."
        preview_value = {"heading": "", "type": "", "count": 3, "link": True}
