"""The wire shape of members."""

from rest_framework import serializers

from commerce.common.resources import NamedResource, PersonResource, RecordResource


class MemberResource(RecordResource, PersonResource):
    """Somebody who has joined."""

    email = serializers.EmailField()
    plan = NamedResource(allow_null=True, help_text="Null for a member without a plan.")
    status = serializers.ChoiceField(("active", "cancelled"))
    joined_at = serializers.DateTimeField()
    cancelled_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 12,
        "email": "dana.reyes@example.com",
        "first_name": "Dana",
        "last_name": "Reyes",
        "name": "Dana Reyes",
        "plan": {"id": 2, "name": "Friend of the mill"},
        "status": "active",
        "joined_at": "2026-03-01T18:30:00+00:00",
        "cancelled_at": None,
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }
