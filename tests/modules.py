"""Install other modules for one test."""

from functools import cache

import pytest

from cms_api.core import registry
from cms_api.core.module import Module
from cms_api.gateway import routing
from cms_api.gateway.menu import GROUP_ITEMS, GroupMenu


def install(monkeypatch: pytest.MonkeyPatch, *modules: Module) -> None:
    """Make these the only modules of the registry. Its caches and the menu start empty, and are restored with the patch."""
    monkeypatch.setattr(registry, "modules", lambda: modules)
    for item in GROUP_ITEMS:
        monkeypatch.setattr(item, "menu", GroupMenu(item.menu.group))
    for owner in (registry, routing):
        for name, function in vars(owner).copy().items():
            if hasattr(function, "cache_clear"):
                monkeypatch.setattr(owner, name, cache(function.__wrapped__))
