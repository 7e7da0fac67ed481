"""Every test of the directory has it switched on, and somebody who listens to what happens in it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import set_setting, switch_feature
from tests.builders import make_endpoint, make_token
from tests.client import Api
from tests.commerce.payments.stripe_stub import SECRET_KEY, SIGNING_SECRET, StripeStub

from .builders import make_owner

Clock = Callable[[str], None]


@pytest.fixture(autouse=True)
def directory(db: None) -> None:
    for name in ("directory", "webhooks"):
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    make_endpoint("*")


@pytest.fixture
def directory_api(api_on: None) -> Api:
    return Api(make_token("directory:read", "directory:write"))


@pytest.fixture
def owner(directory: None) -> Any:
    """Noor, who has a site account."""
    return make_owner()


@pytest.fixture
def clock(directory: None, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Stop the clock at a time in UTC, as in `clock("2027-01-31 12:00")`."""

    def stop(wanted: str) -> None:
        now = datetime.fromisoformat(wanted).replace(tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda: now)

    return stop


@pytest.fixture
def business(settings: Any) -> str:
    """The address of the business, to which requests for moderation are sent."""
    settings.BUSINESS_EMAIL = "studio@example.com"
    return "studio@example.com"


@pytest.fixture
def stub(settings: Any, directory: None) -> Iterator[StripeStub]:
    """A stand-in for Stripe, on the clock of the site."""
    stub = StripeStub(clock=lambda: timezone.now().timestamp()).start()
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = SECRET_KEY, stub.url
    settings.STRIPE_WEBHOOK_SECRETS = [SIGNING_SECRET]
    set_setting(key="payments.provider", value="stripe")
    yield stub
    stub.stop()
