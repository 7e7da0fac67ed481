"""Every test of the restaurant has it switched on, and somebody who listens to what happens in it."""

import pytest

from cms_api.flags.services import set_setting, switch_feature
from tests.builders import make_endpoint


@pytest.fixture(autouse=True)
def restaurant(db: None) -> None:
    for name in ("restaurant", "webhooks"):
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    make_endpoint("*")
