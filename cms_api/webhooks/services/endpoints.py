"""Writes of subscriptions; each changes the `webhooks` version, so that it applies in every process from the next request on."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import registry, versions
from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.core.locks import get_row, refuse_in_transaction
from cms_api.core.records import delete_record
from cms_api.core.wakeups import wake
from cms_api.outbound.addresses import check_url, host_of, is_allowed, is_localhost
from cms_api.outbound.lookup import resolve

from ..models import Delivery, Endpoint
from ..selectors import QUEUE, VERSION
from ..types import ALL, OLD_SECRET_LIFETIME, DeliveryStatus, new_secret

#: The reason for disabling an endpoint whose receiver did not fail.
BY_A_PERSON = "Disabled manually."
#: The longest a person or a client waits for a DNS lookup, in seconds.
LOOKUP_SECONDS = 3.0


class CheckedUrl(str):
    """A URL whose host `check_reachable` has looked up."""

    __slots__ = ()


def check_reachable(url: str) -> CheckedUrl:
    """Refuse a URL that must not be contacted, as far as is known now. Raises Invalid.

    A host that does not resolve today, or whose resolver is slow, may resolve tomorrow; it is checked again before each call.
    Must not be called in a transaction, in which other writers would wait for a resolver.
    """
    if isinstance(url, CheckedUrl):
        return url
    refuse_in_transaction("A look-up of a host")
    parts = check_url(url)
    host = host_of(parts)
    try:
        addresses = resolve(host, parts.port or 443, min(LOOKUP_SECONDS, settings.WEBHOOK_TIMEOUT))
    except (OSError, UnicodeError):
        addresses = []
    if is_localhost(host) or not all(is_allowed(address, settings.WEBHOOK_ALLOWED_NETWORKS) for address in addresses):
        raise Invalid({"url": "The url must not lead to a private or reserved address."})
    return CheckedUrl(url)


def event_choices() -> list[str]:
    """Return the kinds of events that subscriptions may name."""
    return [ALL, *registry.event_kinds()]


def check_events(events: Sequence[str]) -> list[str]:
    """Return the event types without duplicates, in the catalogue's order. Raises Invalid."""
    if not events:
        raise Invalid({"events": required_message("events")})
    known = event_choices()
    if set(events) - set(known):
        raise Invalid({"events": invalid_choice("events")})
    return [kind for kind in known if kind in events]


def create_endpoint(
    *,
    url: str,
    events: Sequence[str],
    description: str = "",
    enabled: bool = True,
    user: Any = None,
) -> Endpoint:
    """Create a subscription with its own secret. Raises Invalid.

    A caller that is in a transaction has called `check_reachable` before it, and hands over the URL that it returned.
    """
    collector = ErrorCollector()
    with collector.under():
        check_reachable(url)
    with collector.under():
        events = check_events(events)
    collector.raise_if_any()
    given = {"url": str(url), "events": list(events), "description": description, "enabled": enabled}
    with transaction.atomic():
        endpoint = Endpoint.objects.create(**given, created_by=user)
        log(instance=endpoint, action="wagtail.create", user=user)
        versions.bump(VERSION)
    return endpoint


def update_endpoint(
    *,
    endpoint: Endpoint,
    url: str,
    events: Sequence[str],
    description: str,
    user: Any = None,
) -> Endpoint:
    """Change a subscription; pending deliveries go to the new URL, which is looked up as in `create_endpoint`. Raises Invalid."""
    collector = ErrorCollector()
    if url != endpoint.url:
        with collector.under():
            check_reachable(url)
    with collector.under():
        events = check_events(events)
    collector.raise_if_any()
    endpoint.url, endpoint.events, endpoint.description = str(url), list(events), description
    with transaction.atomic():
        get_row(Endpoint.objects.select_for_update(no_key=True), endpoint.pk)
        endpoint.save(update_fields=["url", "events", "description", "updated_at"])
        log(instance=endpoint, action="wagtail.edit", user=user)
        versions.bump(VERSION)
    return endpoint


def delete_endpoint(*, endpoint: Endpoint, user: Any = None) -> None:
    """Delete a subscription with its log."""
    # Locked first, so that the log entry of a worker that is recording an attempt is deleted too.
    delete_record(record=endpoint, user=user, version=VERSION)


@transaction.atomic
def enable_endpoint(*, endpoint: Endpoint, user: Any = None) -> bool:
    """Enable an endpoint and reset its failure count. False if it was already enabled."""
    enabled = {"enabled": True, "failure_count": 0, "disabled_at": None, "disabled_reason": ""}
    if not Endpoint.objects.filter(pk=endpoint.pk, enabled=False).update(**enabled):
        return False
    log(instance=endpoint, action="webhooks.enable", user=user)
    versions.bump(VERSION)
    # Deliveries may have been written while it was being disabled.
    wake(QUEUE)
    return True


@transaction.atomic
def disable_endpoint(*, endpoint: Endpoint, reason: str, now: datetime | None = None, user: Any = None) -> bool:
    """Disable an endpoint: pending deliveries are cancelled and stay in its log. False if it was already disabled."""
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
    """Create and return a new secret; the previous one also signs for another day."""
    endpoint.previous_secret, endpoint.previous_secret_until = endpoint.secret, timezone.now() + OLD_SECRET_LIFETIME
    endpoint.secret = new_secret()
    endpoint.save(update_fields=["secret", "previous_secret", "previous_secret_until", "updated_at"])
    log(instance=endpoint, action="webhooks.rotate", user=user)
    return endpoint.secret
