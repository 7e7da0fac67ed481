"""The wire shape of subscribers."""

from rest_framework import serializers

from commerce.common.resources import PersonResource, RecordResource


class SubscriberResource(RecordResource, PersonResource):
    """Somebody who gets mailings, or did."""

    email = serializers.EmailField()
    status = serializers.ChoiceField(("active", "pending", "unsubscribed"))
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
