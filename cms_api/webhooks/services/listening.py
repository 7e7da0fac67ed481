"""Forwards live deliveries to a developer's own machine: a subscription that exists while the command runs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import requests
from django.db import transaction
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.leases import renew, succeed
from cms_api.core.locks import refuse_in_transaction

from ..models import Delivery, Endpoint
from ..selectors import VERSION, lease
from ..types import ALL, DeliveryStatus
from .sending import headers, message

#: Identifies subscriptions left behind by a killed listener.
DESCRIPTION = "manage.py webhooks listen"
PAUSE_SECONDS = 0.2

Show = Callable[[Delivery, bytes, str], None]


def listen(*, forward_to: str, show: Show, stop: Callable[[], bool] = lambda: False) -> None:
    """Show every event from now on and, if a URL is given, post it there, signed like a real delivery."""
    with _subscription() as endpoint:
        while not stop():
            renew(endpoint, lease())
            waiting = endpoint.deliveries.filter(status=DeliveryStatus.PENDING).select_related("event").order_by("id")
            for delivery in waiting:
                body = message(delivery)
                show(delivery, body, _forward(endpoint, delivery, body, forward_to) if forward_to else "")
                succeed(delivery)
            time.sleep(PAUSE_SECONDS)


@contextmanager
def _subscription() -> Iterator[Endpoint]:
    """Create a subscription to all events, with a lease that keeps workers away; delete it at the end."""
    with transaction.atomic():
        Endpoint.objects.filter(description=DESCRIPTION, leased_until__lt=timezone.now()).delete()
        endpoint = Endpoint.objects.create(
            url="https://localhost/",
            events=[ALL],
            description=DESCRIPTION,
            **Endpoint.values_to_claim(timezone.now() + lease()),
        )
        versions.bump(VERSION)
    try:
        yield endpoint
    finally:
        with transaction.atomic():
            endpoint.delete()
            versions.bump(VERSION)


def _forward(endpoint: Endpoint, delivery: Delivery, body: bytes, url: str) -> str:
    """Return the status code of the developer's own server, or why the request failed."""
    refuse_in_transaction("A request to another host")
    sent = headers(endpoint=endpoint, kind=delivery.event.kind, delivery_id=delivery.pk, body=body, now=timezone.now())
    try:
        return str(requests.post(url, data=body, headers=sent, timeout=10, allow_redirects=False).status_code)
    except requests.RequestException as problem:
        return f"failed: {type(problem).__name__}"
