"""A site to back up, and others to restore it to."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from cms_api.gateway.backup import restore

from .sites import Sites


@pytest.fixture
def sites(transactional_db: None, tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sites]:
    """Sites with databases of their own; the cache is in them, because a restore clears it."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "core_cache"}}
    monkeypatch.setattr(restore, "SETTLE_SECONDS", 0)
    original = connection.settings_dict["NAME"]
    made = Sites(tmp_path, settings)
    try:
        made.use("first")
        yield made
    finally:
        made.drop(original)
