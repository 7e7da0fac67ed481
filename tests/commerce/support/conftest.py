"""Every test of the help desk has it switched on, and somebody who listens to what happens in it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.flags.services import switch_feature
from tests.builders import make_endpoint, make_token
from tests.client import Api

#: The token of an address is in the place of {token}.
PATTERN = "support+{token}@help.example"


@pytest.fixture
def support(db: None, settings: Any) -> None:
    for name in ("support", "webhooks"):
        switch_feature(name=name, on=True)
    settings.SUPPORT_REPLY_ADDRESS = PATTERN
    settings.BUSINESS_EMAIL = settings.DEFAULT_FROM_EMAIL = "office@help.example"
    make_endpoint("*")


@pytest.fixture
def clock(support: None, monkeypatch: pytest.MonkeyPatch) -> Callable[..., datetime]:
    """Stop the clock at a time in UTC, as in `clock("2026-03-02 08:00")`, or let it go on, as in `clock(days=3)`."""
    stopped = [datetime(2026, 3, 2, 8, tzinfo=UTC)]
    monkeypatch.setattr(timezone, "now", lambda: stopped[0])

    def move(wanted: str = "", **later: int) -> datetime:
        stopped[0] = datetime.fromisoformat(wanted).replace(tzinfo=UTC) if wanted else stopped[0] + timedelta(**later)
        return stopped[0]

    return move


@pytest.fixture
def support_api(support: None, api_on: None) -> Api:
    return Api(make_token("support:read", "support:write"))
