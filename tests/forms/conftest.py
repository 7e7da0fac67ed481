"""Fixtures of the tests of forms: what a form leads to."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from tests.builders import make_endpoint


@pytest.fixture
def subscribed(api_on: None) -> Callable[[], list[Any]]:
    """Subscribe an endpoint; a call returns the payloads of `form.submitted` so far."""
    switch_feature(name="webhooks", on=True)
    make_endpoint("form.submitted")
    return lambda: [json.loads(bytes(event.payload)) for event in OutboxEvent.objects.order_by("id")]


@pytest.fixture
def business(settings: Any) -> str:
    """Give the business an address that is notified of submissions."""
    settings.BUSINESS_EMAIL = "office@example.org"
    return "office@example.org"


def mails() -> list[OutgoingMail]:
    return list(OutgoingMail.objects.filter(template="form_submitted").order_by("id"))
