"""The viewsets of all modules, changed declarations, and other modules installed for one test."""

from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest

from cms_api.content.services import addresses
from cms_api.core import registry
from cms_api.core.module import Module
from cms_api.gateway import routing
from cms_api.gateway.menu import GROUP_ITEMS, GroupMenu


def viewsets() -> list[Any]:
    """The declared viewsets of all modules, those of groups among them."""
    declared = (module.admin for module in registry.modules())
    found = [registry.load(dotted) for admin in declared for dotted in (*admin.viewsets, *admin.ungated_viewsets)]
    return [viewset for each in found for viewset in getattr(each, "registerables", [each])]


def changed(module: Module, **changes: Any) -> Module:
    """A declaration with other values, each in the part that has a field of its name: `changed(CRM, demo="")`."""
    for part in ("api", "pages", "admin", "records"):
        names = {each.name for each in fields(getattr(module, part))} & changes.keys()
        own = {name: changes.pop(name) for name in names}
        module = replace(module, **{part: replace(getattr(module, part), **own)})
    return replace(module, **changes)


def install(monkeypatch: pytest.MonkeyPatch, *modules: Module) -> None:
    """Make these the only modules of the registry. Its caches and the menu start empty, and are restored with the patch."""
    monkeypatch.setattr(registry, "modules", lambda: modules)
    for item in GROUP_ITEMS:
        monkeypatch.setattr(item, "menu", GroupMenu(item.menu.group))
    for owner in (registry, routing, addresses):
        for name, function in vars(owner).copy().items():
            if hasattr(function, "cache_clear"):
                monkeypatch.setattr(owner, name, cache(function.__wrapped__))
