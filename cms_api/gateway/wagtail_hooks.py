"""Puts the viewsets and menu items that modules declare into Wagtail's admin, each gated by its module's feature.

All are loaded here, for commands as for the admin, so that what their files register with Wagtail is always known.
"""

from typing import Any

from wagtail import hooks

from cms_api.core import registry

from .gates import gate_menu_item, gate_viewset


def _viewsets() -> list[Any]:
    found = []
    for module in registry.modules():
        for viewset in map(registry.load, module.viewsets):
            if module.feature:
                gate_viewset(viewset, module.feature)
            found.append(viewset)
        found += map(registry.load, module.ungated_viewsets)
    return found


def _menu_items() -> list[Any]:
    found = []
    for module in registry.modules():
        for item in map(registry.load, module.menu):
            if module.feature:
                gate_menu_item(item, module.feature)
            found.append(item)
    return found


_VIEWSETS = _viewsets()


@hooks.register("register_admin_viewset")
def viewsets() -> list[Any]:
    return _VIEWSETS


for _item in _menu_items():
    hooks.register("register_admin_menu_item", lambda item=_item: item)
