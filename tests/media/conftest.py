"""A media root of its own for each test, so that a test can check the files on the disk."""

from pathlib import Path
from typing import Any

import pytest

from cms_api.media.services import intake
from tests.pictures import really_process


@pytest.fixture(autouse=True)
def media_root(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.MEDIA_ROOT.mkdir()
    return tmp_path / "media"


@pytest.fixture
def real_processing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every picture is taken in by a process of its own, whether or not a test has seen it before."""
    monkeypatch.setattr(intake, "_process", really_process)
