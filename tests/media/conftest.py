"""A media root of each test's own, so that what is left on the disk can be told."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def media_root(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.MEDIA_ROOT.mkdir()
    return tmp_path / "media"
