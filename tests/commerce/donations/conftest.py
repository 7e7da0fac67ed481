"""Every test of donations has them switched on, and somebody who listens to what happens in them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting, switch_feature
from tests.builders import make_endpoint, make_token
from tests.client import Api
from tests.commerce.payments.stripe_stub import SECRET_KEY, SIGNING_SECRET, StripeStub


@pytest.fixture(autouse=True)
def donations(db: None) -> None:
    for name in ("donations", "webhooks"):
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    make_endpoint("*")


@pytest.fixture
def donations_api(api_on: None) -> Api:
    return Api(make_token("donations:read"))


@pytest.fixture
def clock(donations: None, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Stop the clock at a time in UTC, as in `clock("2027-01-31 12:00")`."""

    def stop(wanted: str) -> None:
        now = datetime.fromisoformat(wanted).replace(tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda: now)

    return stop


@pytest.fixture
def stub(settings: Any, donations: None) -> Iterator[StripeStub]:
    """A stand-in for Stripe, on the clock of the site."""
    stub = StripeStub(clock=lambda: timezone.now().timestamp()).start()
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = SECRET_KEY, stub.url
    settings.STRIPE_WEBHOOK_SECRETS = [SIGNING_SECRET]
    set_setting(key="payments.provider", value="stripe")
    yield stub
    stub.stop()
