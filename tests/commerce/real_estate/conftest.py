"""Every test of real estate has it switched on, and nobody waits between two requests."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from commerce.real_estate import admin
from commerce.real_estate.services import pages
from tests.builders import make_token
from tests.client import Api
from tests.webhooks.conftest import authority, receiver, trusting
from tests.webhooks.receiver import Answer, Receiver

__all__ = ["admin", "authority", "receiver", "trusting"]


@pytest.fixture(autouse=True)
def real_estate(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    switch_feature(name="real_estate", on=True)
    monkeypatch.setattr(pages, "REQUEST_INTERVAL", timedelta(0))


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


class ByPath(dict[str, list[Answer]]):
    """Answers of a path, whatever the query, unless there are some for the query too."""

    def get(self, key: str, default: Any = None) -> Any:
        return super().get(key) or super().get(key.partition("?")[0], default)


@pytest.fixture
def server(receiver: Receiver) -> Receiver:
    """A server of a RESO Web API, whose answers are set for `/odata/Property`."""
    receiver._answers = ByPath()
    return receiver
