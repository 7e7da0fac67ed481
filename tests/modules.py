"""Other modules than those of the product, for one test."""

from functools import cache

import pytest

from cms_api.core import registry
from cms_api.core.module import Module
from cms_api.gateway import routing


def install(monkeypatch: pytest.MonkeyPatch, *modules: Module) -> None:
    """Have the registry know these modules alone. Its caches begin empty, and are undone with the patch."""
    monkeypatch.setattr(registry, "modules", lambda: modules)
    for owner in (registry, routing):
        for name, function in vars(owner).copy().items():
            if hasattr(function, "cache_clear"):
                monkeypatch.setattr(owner, name, cache(function.__wrapped__))
