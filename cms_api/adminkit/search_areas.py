"""The lists of viewsets among the areas of the admin's search, which a search in one of them offers as other searches."""

from typing import Any

from django.http import HttpRequest
from wagtail.admin.search import SearchArea


class ListSearchArea(SearchArea):
    """The area of a viewset's list, for people who may see the list, and while it is there."""

    def __init__(self, viewset: Any) -> None:
        label, place = viewset.search_label or viewset.menu_label, viewset.search_order
        super().__init__(label, viewset.menu_url, name=viewset.url_namespace, icon_name=viewset.icon, order=place)
        self.viewset = viewset

    def is_shown(self, request: HttpRequest) -> bool:
        # The item of the menu, even where it is in none, knows the permissions and the feature.
        return bool(self.viewset.get_menu_item().is_shown(request))

    def is_active(self, request: HttpRequest, current: str | None = None) -> bool:
        return request.path in {self.url, f"{self.url}results/"}
