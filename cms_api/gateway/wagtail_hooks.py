"""Adds what modules declare to Wagtail's admin: viewsets and menu items, gated by their features, and the home's panels.

All are imported here, as Wagtail imports this before it calls any hook: whatever their files register with it is loaded by then.
"""

from typing import Any

from wagtail import hooks

from cms_api.core import registry

from . import dashboard, jobs_admin, menu
from .gates import gate_menu_item, gate_viewset


def _viewsets() -> list[Any]:
    found = []
    for module in registry.modules():
        for viewset in map(registry.load, module.admin.viewsets):
            if module.feature:
                gate_viewset(viewset, module.feature)
            found.append(viewset)
        found += map(registry.load, module.admin.ungated_viewsets)
    for viewset in found:
        # Its entry comes from `menu`.
        viewset.menu_hook = None
    return found


def _gate_menu_items() -> None:
    for module in registry.modules():
        for item in map(registry.load, module.admin.menu):
            if module.feature:
                gate_menu_item(item, module.feature)


_VIEWSETS = _viewsets()
_gate_menu_items()


@hooks.register("register_admin_viewset")
def viewsets() -> list[Any]:
    return _VIEWSETS


for _item in menu.GROUP_ITEMS:
    hooks.register("register_admin_menu_item", lambda item=_item: item)
hooks.register("register_reports_menu_item", jobs_admin.menu_item)
# After other hooks, so that what they add is arranged too.
hooks.register("construct_main_menu", menu.keep_groups, order=1000)
hooks.register("construct_help_menu", menu.drop_release_notes)
hooks.register("construct_homepage_panels", dashboard.arrange_panels, order=1000)
