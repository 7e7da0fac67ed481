"""The content menu: an entry per visible type, then vocabularies and content types."""

from functools import cache
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.menu import Menu, MenuItem, SubmenuMenuItem
from wagtail.permissions import policy_registry

from cms_api.core import registry

from ..models import ContentItem, ContentType, Term
from ..selectors import find_type, visible_types
from .urls import list_url

_ANY = ("add", "change", "delete", "view")


def may_any(user: Any, model: Any) -> bool:
    """Return whether the user has any permission for the model."""
    return bool(policy_registry.get_by_type(model).user_has_any_permission(user, _ANY))


@cache
def types_elsewhere() -> frozenset[str]:
    """Return the slugs of types that have a `TypeMenuItem` in the menu group of their module."""
    items = [registry.load(dotted) for module in registry.modules() for dotted in module.admin.menu]
    return frozenset(item.slug for item in items if isinstance(item, TypeMenuItem))


class ContentMenu(Menu):
    """Built per request: Wagtail keeps registered items for the life of the process, but types are added and removed."""

    def menu_items_for_request(self, request: HttpRequest) -> list[MenuItem]:
        items = []
        if may_any(request.user, ContentItem):
            types = [found for found in visible_types().values() if found.slug not in types_elsewhere()]
            types.sort(key=lambda found: found.name_plural.lower())
            items = [_entry(found, order) for order, found in enumerate(types)]
        if may_any(request.user, Term):
            items.append(MenuItem("Vocabularies", reverse("content_terms:index"), icon_name="tag", order=900))
        if may_any(request.user, ContentType):
            items.append(MenuItem("Content types", reverse("content_types:index"), icon_name="cogs", order=910))
        return items


class TypeMenuItem(MenuItem):
    """The menu entry of a content type in the group of its module. The label follows the name of the type."""

    def __init__(self, slug: str) -> None:
        super().__init__(slug, "", name=f"content-{slug}")
        self.slug = slug

    def is_shown(self, request: HttpRequest) -> bool:
        return find_type(self.slug) is not None and may_any(request.user, ContentItem)

    def render_component(self, request: HttpRequest) -> Any:
        found = find_type(self.slug)
        assert found is not None
        return _entry(found, self.order).render_component(request)


def _entry(found: ContentType, order: int) -> MenuItem:
    return MenuItem(found.name_plural, list_url(found), name=f"content-{found.slug}", icon_name=found.icon, order=order)


MENU = SubmenuMenuItem("Content", ContentMenu(), name="content", icon_name="doc-full")
