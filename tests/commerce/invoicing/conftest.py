"""Every test of invoicing has it switched on, and somebody who listens to what happens in it."""

import pytest

from cms_api.flags.services import switch_feature
from tests.builders import make_endpoint, make_token
from tests.client import Api


@pytest.fixture(autouse=True)
def invoicing(db: None) -> None:
    for name in ("invoicing", "webhooks"):
        switch_feature(name=name, on=True)
    make_endpoint("*")


@pytest.fixture
def invoicing_api(api_on: None) -> Api:
    return Api(make_token("invoicing:read", "invoicing:write"))
