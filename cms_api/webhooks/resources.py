"""The wire shape of a subscription. Its secret is in the answer to its creation alone."""

from typing import Any

from rest_framework import serializers

from cms_api.http import wire
from cms_api.http.serializers import Resource

from .models import Endpoint


class WebhookResource(Resource):
    """A webhook subscription."""

    id = serializers.IntegerField()
    url = serializers.URLField()
    events = serializers.ListField(child=serializers.CharField(), help_text="Event types, or `*` for all.")
    description = serializers.CharField(allow_null=True)
    enabled = serializers.BooleanField()
    failure_count = serializers.IntegerField(min_value=0, help_text="Failed deliveries since the last success.")
    disabled_at = serializers.DateTimeField(allow_null=True)
    disabled_reason = serializers.CharField(allow_null=True)
    last_delivery_at = serializers.DateTimeField(allow_null=True)
    last_response_code = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    example = {
        "id": 4,
        "url": "https://example.com/hooks/site",
        "events": ["content_item.created", "content_item.updated"],
        "description": None,
        "enabled": True,
        "failure_count": 0,
        "disabled_at": None,
        "disabled_reason": None,
        "last_delivery_at": "2026-03-01T18:30:00+00:00",
        "last_response_code": 200,
        "created_at": "2026-02-01T09:00:00+00:00",
        "updated_at": "2026-02-01T09:00:00+00:00",
    }


class CreatedWebhookResource(WebhookResource):
    """A new webhook subscription with its signing secret, which is shown this once."""

    secret = serializers.CharField(help_text="Signs deliveries; cannot be read again.")

    example = {**WebhookResource.example, "secret": "whsec_" + "0123456789" * 4}


def webhook(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "id": endpoint.pk,
        "url": endpoint.url,
        "events": endpoint.events,
        "description": endpoint.description or None,
        "enabled": endpoint.enabled,
        "failure_count": endpoint.failure_count,
        "disabled_at": wire.instant(endpoint.disabled_at),
        "disabled_reason": endpoint.disabled_reason or None,
        "last_delivery_at": wire.instant(endpoint.last_delivery_at),
        "last_response_code": endpoint.last_response_code,
        "created_at": wire.instant(endpoint.created_at),
        "updated_at": wire.instant(endpoint.updated_at),
    }
