"""Every test of the CRM has it switched on."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import OutboxEvent
from tests import people
from tests.builders import make_endpoint, make_token
from tests.client import Api

Emitted = Callable[..., list[tuple[str, Any]]]


@pytest.fixture(autouse=True)
def crm(db: None) -> None:
    switch_feature(name="crm", on=True)


@pytest.fixture
def crm_api(api_on: None) -> Api:
    return Api(make_token("crm:read", "crm:write"))


@pytest.fixture
def emitted(db: None) -> Emitted:
    """Subscribe an endpoint to every event; a call returns the kinds and payloads of the CRM's events so far."""
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")

    def read() -> list[tuple[str, Any]]:
        events = OutboxEvent.objects.filter(kind__startswith="crm.").order_by("id")
        return [(event.kind, json.loads(bytes(event.payload))) for event in events]

    return read


@pytest.fixture
def robin() -> User:
    """A manager, who may look after contacts."""
    found: User = people.mallory_manager()
    found.first_name, found.last_name = "Robin", "Vale"
    found.save()
    return found
