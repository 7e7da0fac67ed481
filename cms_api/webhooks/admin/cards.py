"""The admin home's cards for webhooks."""

from collections.abc import Iterator

from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse

from cms_api.adminkit.cards import MAX_COUNT, Card

from ..models import Endpoint
from ..services.endpoints import BY_A_PERSON


def failing(request: HttpRequest) -> Iterator[Card]:
    """Yield cards for endpoints that were disabled because their receivers failed, and for those failing now (one statement)."""
    disabled_by_failures = Q(enabled=False, disabled_at__isnull=False) & ~Q(disabled_reason=BY_A_PERSON)
    found = Endpoint.objects.filter(disabled_by_failures | Q(enabled=True, failure_count__gt=0))
    endpoints = list(found.order_by("-disabled_at", "-pk")[: MAX_COUNT + 1])
    if disabled := [endpoint for endpoint in endpoints if not endpoint.enabled]:
        yield Card(
            "Webhooks disabled after failures",
            _page(disabled),
            text=f"{disabled[0].url}: {disabled[0].disabled_reason}",
            icon="warning",
            count=len(disabled),
            urgent=True,
        )
    if failing := [endpoint for endpoint in endpoints if endpoint.enabled]:
        yield Card(
            "Webhooks failing",
            _page(failing),
            text=f"{failing[0].url}: {failing[0].failure_count} failed in a row.",
            icon="link-external",
            count=len(failing),
        )


def _page(endpoints: list[Endpoint]) -> str:
    return reverse("webhooks:inspect", args=[endpoints[0].pk]) if len(endpoints) == 1 else reverse("webhooks:index")
