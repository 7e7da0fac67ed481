"""Writes events in the transaction of the change itself: a rolled-back change leaves no event, and no committed one is lost."""

from collections.abc import Sequence
from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

from cms_api.core import registry
from cms_api.core.wakeups import wake
from cms_api.core.writing import insert
from cms_api.flags.services import notify

from ..models import Delivery, OutboxEvent
from ..selectors import QUEUE, find_subscribed


def emit(kind: str, record: Any) -> None:
    """Write a webhook event to the outbox, in the transaction that changes the record, and call the listeners of its type.

    The payload is the result of the event's resource function for the record's current state.
    """
    emit_all(kind, [record])


def emit_all(kind: str, records: Sequence[Any]) -> None:
    """`emit` an event of one type for each of the records, in order."""
    if registry.listeners(kind):
        for record in records:
            notify(kind, record)
    endpoints = find_subscribed(kind) if records else []
    if not endpoints:
        return
    assert connection.in_atomic_block, f"{kind} must be emitted inside the transaction of the change."
    serialize = registry.load(registry.event(kind).resource)
    now = timezone.now()
    rows = [OutboxEvent(kind=kind, occurred_at=now, payload=_payload(serialize(record))) for record in records]
    insert(rows)
    insert(
        [Delivery(event=row, endpoint_id=endpoint, created_at=now, next_attempt_at=now) for row in rows for endpoint in endpoints]
    )
    wake(QUEUE)


def _payload(data: Any) -> bytes:
    return data if isinstance(data, bytes) else orjson.dumps(data)
