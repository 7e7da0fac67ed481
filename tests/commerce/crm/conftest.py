"""Every test of the CRM has it switched on."""

import pytest

from cms_api.flags.services import switch_feature
from tests.builders import make_token
from tests.client import Api


@pytest.fixture(autouse=True)
def crm(db: None) -> None:
    switch_feature(name="crm", on=True)


@pytest.fixture
def crm_api(api_on: None) -> Api:
    return Api(make_token("crm:read", "crm:write"))
