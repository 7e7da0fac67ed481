"""Every test of real estate has it switched on, and nobody waits between two requests."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from commerce.real_estate.services import pages
from tests.builders import make_token
from tests.client import Api


@pytest.fixture(autouse=True)
def real_estate(db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    switch_feature(name="real_estate", on=True)
    monkeypatch.setattr(pages, "GAP", timedelta(0))
    yield
    # Files of imports that a test left unfinished.
    from commerce.real_estate.models import FeedRun

    for run in FeedRun.objects.exclude(file=""):
        run.file.delete(save=False)


@pytest.fixture
def estate_api(api_on: None) -> Api:
    return Api(make_token("real_estate:read"))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Stop the clock at a time in UTC, as in `clock("2026-03-02 08:00")`."""

    def stop(wanted: str) -> None:
        now = datetime.fromisoformat(wanted).replace(tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda: now)

    return stop
