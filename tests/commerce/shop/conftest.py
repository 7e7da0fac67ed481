"""Every test of the shop has it switched on, and somebody who listens to what happens in it."""

import pytest

from cms_api.flags.services import switch_feature
from tests.builders import make_endpoint, make_token
from tests.client import Api


@pytest.fixture(autouse=True)
def shop(db: None) -> None:
    for name in ("shop", "webhooks"):
        switch_feature(name=name, on=True)
    make_endpoint("*")


@pytest.fixture
def shop_api(api_on: None) -> Api:
    return Api(make_token("shop:read", "shop:write"))
