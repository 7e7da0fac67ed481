"""Analytics that are on, with an empty folder of files that wait."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cms_api.analytics.services import limits, salts, spool
from cms_api.flags.services import switch_feature


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr(spool.SPOOL, "_file", None)
    salts.forget()
    limits.forget()
    yield
    salts.forget()


@pytest.fixture
def analytics_on(db: None) -> None:
    switch_feature(name="analytics", on=True)
