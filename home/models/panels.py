"""A page form panel for images set by integrations, which no form changes."""

from typing import Any

from django.utils.functional import cached_property
from wagtail.admin.panels import Panel


class PicturesPanel(Panel):
    """Read-only, with a reset link per slot; hidden on pages where nothing is set."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"heading": "Images set through the API", "icon": "image", **kwargs})

    class BoundPanel(Panel.BoundPanel):
        template_name = "home_admin/pictures.html"

        def is_shown(self) -> bool:
            return bool(super().is_shown() and self.pictures)

        @cached_property
        def pictures(self) -> list[dict[str, Any]]:
            from ..selectors import may_give_back, places_of, row_name

            page = self.instance
            user = self.request.user if self.request else None
            return [
                {"place": place, "name": row_name(place.row), "may_give_back": may_give_back(user, page, place.row)}
                for place in (places_of(page.pk) if page.pk else ())
                if place.image
            ]
