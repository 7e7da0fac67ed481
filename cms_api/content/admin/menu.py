"""The content menu: an entry for every type that may be seen, then vocabularies and the types themselves."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.menu import Menu, MenuItem, SubmenuMenuItem
from wagtail.permissions import policy_registry

from ..models import ContentItem, ContentType, Term
from ..selectors import visible_types
from .urls import list_url

_ANY = ("add", "change", "delete", "view")


def _may(request: HttpRequest, model: Any) -> bool:
    return policy_registry.get_by_type(model).user_has_any_permission(request.user, _ANY)


class ContentMenu(Menu):
    """Made for each request: Wagtail keeps registered items for ever, and types come and go."""

    def menu_items_for_request(self, request: HttpRequest) -> list[MenuItem]:
        items = []
        if _may(request, ContentItem):
            types = sorted(visible_types().values(), key=lambda found: found.name_plural.lower())
            items = [
                MenuItem(found.name_plural, list_url(found), name=f"content-{found.slug}", icon_name=found.icon, order=order)
                for order, found in enumerate(types)
            ]
        if _may(request, Term):
            items.append(MenuItem("Vocabularies", reverse("content_terms:index"), icon_name="tag", order=900))
        if _may(request, ContentType):
            items.append(MenuItem("Content types", reverse("content_types:index"), icon_name="cogs", order=910))
        return items


MENU = SubmenuMenuItem("Content", ContentMenu(), name="content", icon_name="doc-full", order=150)
