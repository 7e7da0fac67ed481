"""Every test of reviews has them switched on, and somebody who listens to what happens in them."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from tests.builders import make_endpoint, make_token
from tests.client import Api


@pytest.fixture(autouse=True)
def reviews(db: None) -> None:
    for name in ("reviews", "webhooks"):
        switch_feature(name=name, on=True)
    make_endpoint("*")


@pytest.fixture
def reviews_api(api_on: None) -> Api:
    return Api(make_token("reviews:read", "reviews:write"))


@pytest.fixture
def clock(reviews: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Stop the clock at a time in UTC, as in `clock("2026-03-02 08:00")`."""

    def stop(wanted: str) -> None:
        now = datetime.fromisoformat(wanted).replace(tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda: now)

    return stop
