"""The wire shapes of support tickets."""

from rest_framework import serializers

from cms_api.http.serializers import RecordResource, Resource
from commerce.common.resources import NamedResource, SluggedResource


class RequesterResource(Resource):
    """The requester of a ticket."""

    name = serializers.CharField(allow_null=True)
    email = serializers.EmailField()


class SupportMessageResource(Resource):
    """A message of a support ticket."""

    id = serializers.IntegerField()
    author_name = serializers.CharField(allow_null=True)
    author_type = serializers.ChoiceField(("staff", "customer", "system"))
    body = serializers.CharField()
    is_internal = serializers.BooleanField(help_text="Whether this is an internal note, which the requester cannot see.")
    created_at = serializers.DateTimeField()


class SupportTicketResource(RecordResource):
    """A request for help."""

    number = serializers.CharField(help_text="`SUP-nnnn`, as shown to the requester.")
    subject = serializers.CharField()
    status = serializers.ChoiceField(("open", "pending", "resolved", "closed"))
    priority = serializers.ChoiceField(("low", "normal", "high", "urgent"))
    category = SluggedResource(allow_null=True)
    requester = RequesterResource()
    assignee = NamedResource(allow_null=True)
    csat_rating = serializers.IntegerField(
        min_value=1, max_value=5, allow_null=True, help_text="Satisfaction rating by the requester; null until given."
    )
    message_count = serializers.IntegerField(min_value=0)
    is_spam = serializers.BooleanField()
    first_response_at = serializers.DateTimeField(allow_null=True)
    resolved_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    last_message_at = serializers.DateTimeField(allow_null=True)

    example = {
        "id": 402,
        "number": "SUP-1402",
        "subject": "A mug arrived broken",
        "status": "open",
        "priority": "normal",
        "category": {"id": 5, "name": "Orders", "slug": "orders"},
        "requester": {"name": "Dana Reyes", "email": "dana.reyes@example.com"},
        "assignee": None,
        "csat_rating": None,
        "message_count": 1,
        "is_spam": False,
        "first_response_at": None,
        "resolved_at": None,
        "closed_at": None,
        "last_message_at": "2026-03-01T18:30:00+00:00",
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


class SupportTicketDetailResource(SupportTicketResource):
    """A request for help with its whole thread."""

    messages = SupportMessageResource(many=True)

    example = {
        **SupportTicketResource.example,
        "messages": [
            {
                "id": 711,
                "author_name": "Dana Reyes",
                "author_type": "customer",
                "body": "One of the two mugs arrived with a broken handle.",
                "is_internal": False,
                "created_at": "2026-03-01T18:30:00+00:00",
            }
        ],
    }
