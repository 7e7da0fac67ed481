"""What happened is written down with the change itself: a change that is undone leaves nothing, one that stands is never lost."""

from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

from cms_api.core import registry

from ..models import Delivery, OutboxEvent
from ..selectors import subscribed


def emit(kind: str, record: Any) -> None:
    """Tells everybody who subscribed to a kind of event, in the transaction that changes the record.

    The payload is what the event's resource function makes of the record now.
    """
    event = registry.event(kind)
    endpoints = subscribed(kind)
    if not endpoints:
        return
    assert connection.in_atomic_block, f"{kind} must be emitted inside the transaction of the change."
    data = registry.load(event.resource)(record)
    now = timezone.now()
    payload = data if isinstance(data, bytes) else orjson.dumps(data)
    row = OutboxEvent.objects.create(kind=kind, occurred_at=now, payload=payload)
    Delivery.objects.bulk_create(
        [Delivery(event=row, endpoint_id=endpoint, created_at=now, next_attempt_at=now) for endpoint in endpoints]
    )
