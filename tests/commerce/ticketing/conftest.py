"""Every test of tickets has events switched on, and somebody who listens to what happens."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting, switch_feature
from tests.builders import make_endpoint, make_token
from tests.client import Api


@pytest.fixture(autouse=True)
def ticketing(db: None) -> None:
    for name in ("events", "webhooks"):
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    make_endpoint("*")


@pytest.fixture
def tickets_api(api_on: None) -> Api:
    return Api(make_token("ticketing:read", "ticketing:write"))


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Move the clock forward, as in `later(minutes=20)`."""

    def move(**by: int) -> None:
        now = timezone.now() + timedelta(**by)
        monkeypatch.setattr(timezone, "now", lambda: now)

    return move
