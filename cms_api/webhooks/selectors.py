"""Reads of subscriptions."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from cms_api.core import registry, versions
from cms_api.core.module import Event, Module
from cms_api.core.reading import ANY_ID, ANY_TIME, Instances, compile_once
from cms_api.flags.selectors import is_on

from .models import Delivery, Endpoint
from .types import ALL

VERSION = "webhooks"
FEATURE = "webhooks"
#: The queue of deliveries.
QUEUE = "deliver_due"
#: Deliveries of an endpoint that are read at once.
READ_DELIVERIES = 20


def find_subscribed(kind: str) -> list[int]:
    """Return ids of the enabled endpoints subscribed to an event type; none while webhooks, or the event's module, are off."""
    if not is_on(FEATURE) or not is_on(registry.event_feature(kind)):
        return []
    wanted = versions.load_once(VERSION, lambda: list(Endpoint.objects.filter(enabled=True).values_list("pk", "events")))
    return [pk for pk, events in wanted if ALL in events or kind in events]


def offered_events(chosen: Collection[str] = ()) -> list[tuple[Module, list[Event]]]:
    """Return the events of installed modules whose features are on, and those already chosen, by module."""
    offered = [
        (module, [event for event in module.api.events if event.kind in chosen or _is_emitted(module, event)])
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


def next_due() -> list[Delivery]:
    """Return the first due deliveries of the least recently served endpoint that has any and is not leased, with both."""
    return compile_once("webhooks.next_due", _next_due, Instances).rows(0, READ_DELIVERIES, {ANY_TIME: timezone.now()})


def due_at(endpoint: Endpoint) -> list[Delivery]:
    """Return the first due deliveries of an endpoint, in their order."""
    return compile_once("webhooks.due_at", _due_at, Instances).rows(
        0, READ_DELIVERIES, {ANY_TIME: timezone.now(), ANY_ID: endpoint.pk}
    )


def _next_due() -> QuerySet[Delivery]:
    due = Exists(Delivery.objects.filter(Delivery.free(ANY_TIME), endpoint=OuterRef("pk")))
    waiting = Endpoint.objects.filter(due, Endpoint.free(ANY_TIME), enabled=True)
    return _due(waiting.order_by(F("last_delivery_at").asc(nulls_first=True), "pk").values("pk")[:1])


def _due_at() -> QuerySet[Delivery]:
    return _due(ANY_ID)


def _due(endpoint: Any) -> QuerySet[Delivery]:
    found = Delivery.objects.filter(Delivery.free(ANY_TIME), endpoint=endpoint)
    return found.select_related("event", "endpoint").order_by("next_attempt_at", "pk")
