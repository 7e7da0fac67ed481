"""Fixtures of the webhook tests: a receiver that the site trusts and may contact, and a client that may subscribe."""

from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from django.core import mail
from django_q.models import OrmQ

from cms_api.core import registry
from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import Endpoint
from cms_api.webhooks.services import sending
from cms_api.webhooks.services.endpoints import create_endpoint
from tests.builders import make_token
from tests.client import Api

from .receiver import Authority, Receiver, make_authority, receiving

Subscribe = Callable[..., Endpoint]


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def trusting(authority: Authority, settings: Any) -> Iterator[None]:
    """The tests' authority is trusted and the loopback addresses may be contacted; retries are due at once."""
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.0/8")]
    settings.WEBHOOK_CA_BUNDLE = str(authority.trusted)
    settings.WEBHOOK_RETRY_DELAYS = [0, 0, 0, 0]
    settings.WEBHOOK_TIMEOUT = 10
    sending.trust_anchors.cache_clear()
    yield
    sending.trust_anchors.cache_clear()


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


def run_queued() -> list[mail.EmailMessage]:
    """Runs what waits in the background queue; the mails that came of it."""
    before = len(mail.outbox)
    for entry in OrmQ.objects.order_by("id"):
        task = entry.task
        registry.load(task["func"])(*task["args"])
        entry.delete()
    return mail.outbox[before:]
