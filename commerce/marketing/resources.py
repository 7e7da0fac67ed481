"""Output and input shapes of subscribers."""

from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import FlagInput, RecordResource
from cms_api.http.wire import instant, record
from commerce.common import resources as common
from commerce.common.resources import EmailInput, LineInput, PersonInput, PersonResource, TagsInput

from .models import Subscriber
from .types import MAX_SOURCE, Status


class SubscriberResource(RecordResource, PersonResource):
    """A current or former recipient of mailings."""

    email = serializers.EmailField()
    status = serializers.ChoiceField(tuple(Status.values))
    tags = serializers.ListField(child=serializers.CharField())
    source_ = serializers.CharField(allow_null=True, help_text="Where the subscriber came from.")
    confirmed_at = serializers.DateTimeField(allow_null=True)
    unsubscribed_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 530,
        "email": "dana.reyes@example.com",
        "first_name": "Dana",
        "last_name": "Reyes",
        "name": "Dana Reyes",
        "status": "active",
        "tags": ["workshops"],
        "source": "api",
        "confirmed_at": "2026-03-01T18:30:00+00:00",
        "unsubscribed_at": None,
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


class SubscriberInput(PersonInput):
    """Subscriber input from integrations, imports and people."""

    email = EmailInput()
    tags = TagsInput()
    source = LineInput(max_length=MAX_SOURCE, help_text="Where the subscriber came from.")  # type: ignore[assignment]
    resubscribe = FlagInput(required=False, default=False, help_text="Activates an unsubscribed or pending subscriber.")

    example = {"email": "dana.reyes@example.com", "first_name": "Dana", "last_name": "Reyes", "tags": ["workshops"]}


def subscriber(row: Subscriber) -> dict[str, Any]:
    return {
        **record(row),
        "email": row.email,
        **common.person(row),
        "status": row.status,
        "tags": row.tags,
        "source": row.source or None,
        "confirmed_at": instant(row.confirmed_at),
        "unsubscribed_at": instant(row.unsubscribed_at),
    }
