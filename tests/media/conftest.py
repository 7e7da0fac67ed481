"""A media root of its own for each test, so that a test can check the files on the disk."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from wagtail.images.models import Filter

from cms_api.media.services import intake
from config.settings.environment import storage
from tests.pictures import really_process, really_render

from .object_server import Bucket, serving


@pytest.fixture(autouse=True)
def media_root(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.MEDIA_ROOT.mkdir()
    return tmp_path / "media"


@pytest.fixture
def real_processing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every picture is taken in by a process of its own, and every rendition drawn, whether or not a test has seen it before."""
    monkeypatch.setattr(intake, "_process", really_process)
    monkeypatch.setattr(Filter, "run", really_render)


@pytest.fixture(scope="module")
def object_server() -> Iterator[Bucket]:
    with serving() as bucket:
        yield bucket


@pytest.fixture
def bucket(object_server: Bucket, settings: Any) -> Bucket:
    """The storage that the settings name, empty."""
    object_server.objects.clear()
    object_server.asked.clear()
    object_server.failing = 0
    settings.STORAGES = {**settings.STORAGES, "default": storage(object_server.setting("site a"))}
    # A site with a bucket loads it with its models, not in a transaction.
    import_module(settings.STORAGES["default"]["BACKEND"].rpartition(".")[0])
    return object_server
