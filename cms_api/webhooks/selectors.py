"""Reads of subscriptions."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings

from cms_api.core import registry, versions
from cms_api.core.module import Event, Module
from cms_api.flags.selectors import is_on

from .models import Endpoint
from .types import ALL

VERSION = "webhooks"
FEATURE = "webhooks"
#: The queue of deliveries.
QUEUE = "deliver_due"


def subscribed(kind: str) -> list[int]:
    """Return ids of the enabled endpoints subscribed to an event type; none while webhooks, or the event's module, are off."""
    if not is_on(FEATURE) or not is_on(registry.event_feature(kind)):
        return []
    wanted = versions.cached(VERSION, lambda: list(Endpoint.objects.filter(enabled=True).values_list("pk", "events")))
    return [pk for pk, events in wanted if ALL in events or kind in events]


def offered_events(chosen: Collection[str] = ()) -> list[tuple[Module, list[Event]]]:
    """Return the events of installed modules whose features are on, and those already chosen, by module."""
    offered = [
        (module, [event for event in module.events if event.kind in chosen or _is_emitted(module, event)])
        for module in registry.emitters()
    ]
    return [(module, events) for module, events in offered if events]


def _is_emitted(module: Module, event: Event) -> bool:
    return module in registry.modules() and is_on(registry.event_feature(event.kind))


def signing_secrets(endpoint: Endpoint, now: datetime) -> list[str]:
    """Return the secrets that sign now, the current one first."""
    found = [endpoint.secret]
    if endpoint.previous_secret and endpoint.previous_secret_until and endpoint.previous_secret_until > now:
        found.append(endpoint.previous_secret)
    return found


def retry_delays() -> list[timedelta]:
    """Return the delay before each retry."""
    return [timedelta(seconds=seconds) for seconds in settings.WEBHOOK_RETRY_DELAYS]


def lease() -> timedelta:
    """Return the length of a lease, longer than any attempt: after it, another worker takes over from one that died."""
    return timedelta(seconds=settings.WEBHOOK_TIMEOUT + 20)
