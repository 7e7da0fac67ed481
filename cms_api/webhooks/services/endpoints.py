"""Writes of subscriptions; each moves the `webhooks` version, so that every process emits by it from the next request on."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import registry, versions
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required

from ..models import Delivery, Endpoint
from ..selectors import VERSION
from ..types import ALL, ROTATION, DeliveryStatus, check_url, is_allowed, new_secret
from .lookup import resolve

#: Why an endpoint is disabled whose receiver did nothing wrong.
BY_A_PERSON = "Disabled manually."
#: Seconds that a person or a client waits while a host is looked up.
PATIENCE = 3.0


def check_reachable(url: str) -> None:
    """Raises Invalid for an address that may not be contacted, as far as that can be known now.

    A host that has no address today, or whose resolver is slow, may have one tomorrow; when it is sent to, it is looked at
    again. To be called outside of a transaction: no other writer should wait for a resolver.
    """
    parts = check_url(url)
    try:
        addresses = resolve(parts.hostname or "", parts.port or 443, min(PATIENCE, settings.WEBHOOK_TIMEOUT))
    except (OSError, UnicodeError):
        return
    if not all(is_allowed(address, settings.WEBHOOK_ALLOWED_NETWORKS) for address in addresses):
        raise Invalid({"url": "The url must not lead to a private or reserved address."})


def check_events(events: Sequence[str]) -> list[str]:
    """The kinds without repeats, in the catalogue's order. Raises Invalid."""
    if not events:
        raise Invalid({"events": required("events")})
    known = [ALL, *registry.event_kinds()]
    if set(events) - set(known):
        raise Invalid({"events": invalid_choice("events")})
    return [kind for kind in known if kind in events]


def create_endpoint(
    *, url: str, events: Sequence[str], description: str = "", enabled: bool = True, user: Any = None
) -> Endpoint:
    """A new subscription with a secret of its own. Raises Invalid."""
    collector = ErrorCollector()
    with collector.under():
        check_reachable(url)
    with collector.under():
        events = check_events(events)
    collector.raise_if_any()
    given = {"url": url, "events": list(events), "description": description, "enabled": enabled}
    with transaction.atomic():
        endpoint = Endpoint.objects.create(**given, created_by=user)
        log(instance=endpoint, action="wagtail.create", user=user)
        versions.bump(VERSION)
    return endpoint


def update_endpoint(*, endpoint: Endpoint, url: str, events: Sequence[str], description: str, user: Any = None) -> Endpoint:
    """Changes a subscription; what waits for it goes to the new address. Raises Invalid."""
    collector = ErrorCollector()
    if url != endpoint.url:
        with collector.under():
            check_reachable(url)
    with collector.under():
        events = check_events(events)
    collector.raise_if_any()
    endpoint.url, endpoint.events, endpoint.description = url, list(events), description
    with transaction.atomic():
        endpoint.save(update_fields=["url", "events", "description", "updated_at"])
        log(instance=endpoint, action="wagtail.edit", user=user)
        versions.bump(VERSION)
    return endpoint


@transaction.atomic
def delete_endpoint(*, endpoint: Endpoint, user: Any = None) -> None:
    """Deletes a subscription with its log."""
    # A worker that records an attempt is waited for: what it adds to the log goes too.
    Endpoint.objects.select_for_update().filter(pk=endpoint.pk).first()
    log(instance=endpoint, action="wagtail.delete", user=user, deleted=True)
    endpoint.delete()
    versions.bump(VERSION)


@transaction.atomic
def enable_endpoint(*, endpoint: Endpoint, user: Any = None) -> None:
    """Puts an endpoint back to work with a whole failure budget."""
    Endpoint.objects.filter(pk=endpoint.pk).update(enabled=True, failure_count=0, disabled_at=None, disabled_reason="")
    log(instance=endpoint, action="webhooks.enable", user=user)
    versions.bump(VERSION)


@transaction.atomic
def disable_endpoint(*, endpoint: Endpoint, reason: str, now: datetime | None = None, user: Any = None) -> bool:
    """Stops sending to an endpoint: what waits for it is cancelled, and kept in its log. False where it was disabled before."""
    now = now or timezone.now()
    stopped = Endpoint.objects.filter(pk=endpoint.pk, enabled=True).update(enabled=False, disabled_at=now, disabled_reason=reason)
    if not stopped:
        return False
    waiting = Delivery.objects.filter(endpoint=endpoint, status=DeliveryStatus.PENDING)
    waiting.update(status=DeliveryStatus.CANCELLED, next_attempt_at=None, finished_at=now)
    log(instance=endpoint, action="webhooks.disable", user=user, data={"reason": reason})
    versions.bump(VERSION)
    return True


@transaction.atomic
def rotate_secret(*, endpoint: Endpoint, user: Any = None) -> str:
    """A new secret; the one before signs beside it for a day."""
    endpoint.previous_secret, endpoint.previous_secret_until = endpoint.secret, timezone.now() + ROTATION
    endpoint.secret = new_secret()
    endpoint.save(update_fields=["secret", "previous_secret", "previous_secret_until", "updated_at"])
    log(instance=endpoint, action="webhooks.rotate", user=user)
    return endpoint.secret
