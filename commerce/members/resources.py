"""The wire shape of members."""

from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import RecordResource
from cms_api.http.wire import instant, record
from commerce.common import resources as common
from commerce.common.resources import NamedResource, PersonResource

from .models import Member
from .types import MemberStatus


class MemberResource(RecordResource, PersonResource):
    """A person who has joined."""

    email = serializers.EmailField()
    plan = NamedResource(allow_null=True, help_text="Null for a member without a plan.")
    status = serializers.ChoiceField(tuple(MemberStatus.values))
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


def member(row: Member) -> dict[str, Any]:
    return {
        **record(row),
        "email": row.email,
        "first_name": row.first_name or None,
        "last_name": row.last_name or None,
        "name": row.name or None,
        "plan": common.refer_to(row.plan),
        "status": row.status,
        "joined_at": instant(row.joined_at),
        "cancelled_at": instant(row.cancelled_at),
    }
