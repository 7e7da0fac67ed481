"""Every test of booking has it switched on, and somebody who listens to what happens in it."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting, switch_feature
from tests.builders import make_endpoint, make_token
from tests.client import Api


@pytest.fixture
def booking(db: None) -> None:
    for name in ("booking", "webhooks"):
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    make_endpoint("*")


@pytest.fixture
def clock(booking: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Stop the clock at a time in UTC, as in `clock("2026-03-02 08:00")`; it stands there, a Monday, from the start."""

    def stop(wanted: str) -> None:
        now = datetime.fromisoformat(wanted).replace(tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda: now)

    stop("2026-03-02 08:00")
    return stop


@pytest.fixture
def booking_api(booking: None, api_on: None) -> Api:
    return Api(make_token("booking:read", "booking:write"))
