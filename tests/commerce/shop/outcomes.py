"""The outcomes of a test of the shop: webhook events, and refusals."""

import json
from collections.abc import Callable
from typing import Any

from cms_api.core.errors import Invalid
from cms_api.webhooks.models import OutboxEvent


def emitted(kind: str = "order.") -> list[tuple[str, Any]]:
    """Events in their order: kind and payload."""
    events = OutboxEvent.objects.filter(kind__startswith=kind).order_by("pk")
    return [(event.kind, json.loads(bytes(event.payload))) for event in events]


def outcome(work: Callable[[], Any]) -> str:
    """Run something; return the keys of a refusal, or "done"."""
    try:
        work()
    except Invalid as refusal:
        return ", ".join(refusal.errors)
    return "done"


def kinds(kind: str = "order.") -> list[str]:
    return [each for each, _ in emitted(kind)]
