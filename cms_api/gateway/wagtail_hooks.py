"""Puts the viewsets and menu items that modules declare into Wagtail's admin."""

from typing import Any

from wagtail import hooks

from cms_api.core import registry


def _declared(kind: str) -> list[Any]:
    found = [registry.load(dotted) for module in registry.modules() for dotted in getattr(module, kind)]
    return [item for item in found if item is not None]


@hooks.register("register_admin_viewset")
def viewsets() -> list[Any]:
    return _declared("viewsets")


for _item in _declared("menu"):
    hooks.register("register_admin_menu_item", lambda item=_item: item)
