"""Install other modules for one test."""

from functools import cache

import pytest

from cms_api.core import registry
from cms_api.core.module import Module
from cms_api.gateway import routing


def install(monkeypatch: pytest.MonkeyPatch, *modules: Module) -> None:
    """Make these the only modules of the registry. Its caches start empty, and are restored with the patch."""
    monkeypatch.setattr(registry, "modules", lambda: modules)
    for owner in (registry, routing):
        for name, function in vars(owner).copy().items():
            if hasattr(function, "cache_clear"):
                monkeypatch.setattr(owner, name, cache(function.__wrapped__))
