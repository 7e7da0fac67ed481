"""The page row that shows services to book."""

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from wagtail import blocks

from cms_api.http import page_cache
from cms_api.rows import RecordBlock, RowBlock, heading

from .models import Service
from .resources.pages import TITLE, cards_of
from .selectors.services import offered_services, with_pictures
from .types.services import VERSION


def listed_services() -> list[tuple[str, str]]:
    """Return the services as choices: id and name."""
    return [(str(pk), name) for pk, name in Service.objects.values_list("pk", "name")]


class BookingBlock(RowBlock):
    heading = heading()
    service = RecordBlock(choices=listed_services, required=False, help_text="Defaults to all services.")
    link = blocks.BooleanBlock(required=False, default=True, label="Link to all services")

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return the `cards` of services, their `title`, and the `url` of all of them; None without services."""
        page_cache.depends_on(VERSION)
        found = with_pictures(offered_services())
        cards = cards_of(list(found.filter(pk=value["service"]) if value["service"] else found))
        return {"cards": cards, "title": value["heading"] or TITLE, "url": reverse("booking")} if cards else None

    def has_heading(self, value: Any) -> bool:
        """Return True: the row has a heading of its own by default."""
        return True

    class Meta:
        icon = "calendar-check"
        label = "Booking"
        label_format = "{heading}"
        description = "Services that visitors can book."
        preview_value = {"heading": "", "service": "", "link": True}
