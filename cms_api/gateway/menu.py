"""The admin's menu: a few groups, built from the modules' declarations and Wagtail's own entries."""

import copy
from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest
from django.utils.functional import cached_property
from wagtail.admin.menu import Menu, MenuItem, SubmenuMenuItem, admin_menu, reports_menu, settings_menu

from cms_api.core import registry
from cms_api.core.module import MENU_GROUPS, MenuGroup

#: Wagtail's entries by name: their group and their order among the modules' entries.
WAGTAIL_ENTRIES = {
    "explorer": ("website", 0),
    "images": ("website", 20),
    "documents": ("website", 21),
    "theme": ("website", 60),
    "snippets": ("website", 90),
    "users": ("settings", 30),
    "groups": ("settings", 31),
    "workflows": ("settings", 50),
    "workflow-tasks": ("settings", 51),
    "collections": ("settings", 52),
    "sites": ("settings", 53),
}
#: Wagtail menus whose remaining entries are appended to the group of this name, after those of modules.
WAGTAIL_MENUS = {"reports": reports_menu, "settings": settings_menu}
_LAST_ORDER = 1000


class GroupMenu(Menu):
    """The entries of a group, in order."""

    def __init__(self, group: MenuGroup) -> None:
        super().__init__()
        self.group = group

    @cached_property
    def registered_menu_items(self) -> list[MenuItem]:
        return [*_declared_entries(self.group.name), *_moved_entries(self.group.name)]

    def menu_items_for_request(self, request: HttpRequest) -> list[MenuItem]:
        items: list[MenuItem] = super().menu_items_for_request(request)
        if self.group.name in WAGTAIL_MENUS:
            others = WAGTAIL_MENUS[self.group.name].menu_items_for_request(request)
            items += [_at(_LAST_ORDER + item.order, item) for item in others if item.name not in WAGTAIL_ENTRIES]
        return items


class GroupItem(SubmenuMenuItem):
    """A top-level entry of the menu; hidden while the user has no entries in it."""

    def __init__(self, group: MenuGroup, order: int) -> None:
        super().__init__(group.title, GroupMenu(group), name=group.name, icon_name=group.icon, order=order)


GROUP_ITEMS = tuple(GroupItem(group, 100 * place) for place, group in enumerate(MENU_GROUPS))


def keep_groups(request: HttpRequest, items: list[MenuItem]) -> None:
    """Keep only the groups and ungrouped entries at the top of the menu: a `construct_main_menu` hook."""
    items[:] = [item for item in items if isinstance(item, GroupItem) or not _has_place(item)]


def drop_release_notes(request: HttpRequest, items: list[MenuItem]) -> None:
    """Remove Wagtail's release notes, which are not about the site: a `construct_help_menu` hook."""
    items[:] = [item for item in items if not item.name.startswith("whats-new")]


def _has_place(item: MenuItem) -> bool:
    return item.name in WAGTAIL_ENTRIES or getattr(item, "menu", None) in WAGTAIL_MENUS.values()


def _declared_entries(group: str) -> Iterator[MenuItem]:
    for module in registry.modules():
        if module.admin.menu_group == group:
            viewsets: list[Any] = list(map(registry.load, (*module.admin.viewsets, *module.admin.ungated_viewsets)))
            entries = [
                *map(registry.load, module.admin.menu),
                *(viewset.get_menu_item() for viewset in viewsets if viewset.menu_label),
            ]
            for place, entry in enumerate(entries):
                yield _at(module.admin.menu_order + place, entry)


def _moved_entries(group: str) -> Iterator[MenuItem]:
    for item in (*admin_menu.registered_menu_items, *settings_menu.registered_menu_items):
        name, order = WAGTAIL_ENTRIES.get(item.name, ("", 0))
        if name == group:
            yield _at(order, item)


def _at(order: int, item: MenuItem) -> MenuItem:
    """Return the same entry with another order."""
    moved = copy.copy(item)
    moved.order = order
    return moved
