"""Every test of imports has the modules on that can import something."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from commerce.imports.models import ImportFiles, ImportRun
from tests import people


@pytest.fixture(autouse=True)
def kinds(db: None) -> None:
    switch_feature(name="crm", on=True)
    switch_feature(name="marketing", on=True)


@pytest.fixture(autouse=True)
def _files(tmp_path: Any, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own for the files of each test."""
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(ImportRun._meta.get_field("file"), "storage", ImportFiles())


@pytest.fixture
def manager(sign_in: Callable[[Any], Client]) -> Client:
    return sign_in(people.mallory_manager())
