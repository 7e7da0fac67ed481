"""A sample of an event, sent at once for a person to see the answer: outside the log, and never a failure."""

import orjson
from django.utils import timezone

from cms_api.core import registry

from ..models import Delivery, Endpoint, OutboxEvent
from .sending import Outcome, headers, message, post

#: The `delivery_id` of every test; a real one begins at 1.
SAMPLE_ID = 0


def send_test(*, endpoint: Endpoint, kind: str) -> Outcome:
    """Sends the sample that the event's declaration gives, made and signed as a real delivery is."""
    now = timezone.now()
    payload = orjson.dumps(registry.event_sample(kind))
    sample = Delivery(pk=SAMPLE_ID, event=OutboxEvent(kind=kind, occurred_at=now, payload=payload), endpoint=endpoint)
    body = message(sample)
    return post(endpoint.url, body, headers(endpoint=endpoint, kind=kind, delivery_id=SAMPLE_ID, body=body, now=now), now)
