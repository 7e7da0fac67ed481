"""Puts the viewsets and menu items that modules declare into Wagtail's admin.

All are loaded here, for commands as for the admin, so that what their files register with Wagtail is always known.
"""

from typing import Any

from wagtail import hooks

from cms_api.core import registry


def _declared(kind: str) -> list[Any]:
    return [registry.load(dotted) for module in registry.modules() for dotted in getattr(module, kind)]


_VIEWSETS = _declared("viewsets")


@hooks.register("register_admin_viewset")
def viewsets() -> list[Any]:
    return _VIEWSETS


for _item in _declared("menu"):
    hooks.register("register_admin_menu_item", lambda item=_item: item)
