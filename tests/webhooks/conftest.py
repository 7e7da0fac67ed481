"""Fixtures of the webhook tests: a receiver that the site trusts and may contact, and a client that may subscribe."""

from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import Any

import pytest

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import Endpoint
from cms_api.webhooks.services.endpoints import create_endpoint
from tests.builders import make_token
from tests.client import Api

from .receiver import Authority, Receiver, make_authority, receiving

Subscribe = Callable[..., Endpoint]


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def trusting(authority: Authority, settings: Any) -> None:
    """The tests' authority is trusted and the loopback addresses may be contacted; retries are due at once."""
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.0/8")]
    settings.WEBHOOK_CA_BUNDLE = str(authority.trusted)
    settings.WEBHOOK_RETRY_DELAYS = [0, 0, 0, 0]
    settings.WEBHOOK_TIMEOUT = 10


@pytest.fixture
def receiver(trusting: None, authority: Authority) -> Iterator[Receiver]:
    with receiving(authority.good) as started:
        yield started


@pytest.fixture
def webhooks_on(api_on: None) -> None:
    switch_feature(name="webhooks", on=True)


@pytest.fixture
def subscribe(webhooks_on: None, receiver: Receiver) -> Subscribe:
    """Makes a subscription of one of the receiver's paths."""

    def make(path: str = "/hook", *events: str, **changes: Any) -> Endpoint:
        return create_endpoint(url=receiver.url(path), events=events or ["*"], **changes)

    return make


@pytest.fixture
def manager(webhooks_on: None) -> Api:
    """A client that may manage subscriptions."""
    return Api(make_token("webhooks:manage"))
