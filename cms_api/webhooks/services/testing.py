"""Sends a sample of an event at once and returns the response; it is not logged and never counts as a failure."""

import orjson
from django.utils import timezone

from cms_api.core import registry

from ..models import Delivery, Endpoint, OutboxEvent
from .sending import Outcome, headers, message, post

#: The `delivery_id` of every test; real ones start at 1.
SAMPLE_ID = 0


def send_test(*, endpoint: Endpoint, kind: str) -> Outcome:
    """Send the sample from the event's declaration, built and signed like a real delivery."""
    now = timezone.now()
    payload = orjson.dumps(registry.event_sample(kind))
    sample = Delivery(pk=SAMPLE_ID, event=OutboxEvent(kind=kind, occurred_at=now, payload=payload), endpoint=endpoint)
    body = message(sample)
    return post(endpoint.url, body, headers(endpoint=endpoint, kind=kind, delivery_id=SAMPLE_ID, body=body, now=now), now)
