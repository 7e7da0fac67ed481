"""The wire shapes of support tickets."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import FlagInput, IdInput, InputSerializer, RecordResource, Resource, TextInput
from cms_api.http.wire import instant, record
from commerce.common.resources import NamedResource, SluggedResource
from commerce.crm.selectors import refer_to_user

from ..models import Category, Message, Ticket
from ..types.tickets import MAX_BODY, AuthorType, Priority, TicketStatus


class RequesterResource(Resource):
    """The requester of a ticket."""

    name = serializers.CharField(allow_null=True)
    email = serializers.EmailField()


class SupportMessageResource(Resource):
    """A message of a support ticket."""

    id = serializers.IntegerField()
    author_name = serializers.CharField(allow_null=True)
    author_type = serializers.ChoiceField(AuthorType.values)
    body = serializers.CharField()
    is_internal = serializers.BooleanField(help_text="Whether this is an internal note, which the requester cannot see.")
    created_at = serializers.DateTimeField()

    example = {
        "id": 711,
        "author_name": "Dana Reyes",
        "author_type": "customer",
        "body": "One of the two mugs arrived with a broken handle.",
        "is_internal": False,
        "created_at": "2026-03-01T18:30:00+00:00",
    }


class SupportTicketResource(RecordResource):
    """A request for help."""

    number = serializers.CharField(help_text="`SUP-nnnn`, as shown to the requester.")
    subject = serializers.CharField()
    status = serializers.ChoiceField(TicketStatus.values)
    priority = serializers.ChoiceField(Priority.values)
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
        "messages": [SupportMessageResource.example],
    }


class ReplyInput(InputSerializer):
    """A reply to a ticket."""

    message = TextInput(max_length=MAX_BODY, help_text="Plain text. `body` is accepted too.")
    internal = FlagInput(required=False, default=False, help_text="Whether it is a note that the requester cannot see.")

    example = {"message": "We're sorry! A replacement is on its way.", "internal": False}

    @classmethod
    def read(cls, data: Mapping[str, Any], *, partial: bool = False) -> dict[str, Any]:
        return super().read(_with_message(data), partial=partial)

    @classmethod
    def unknown(cls, data: Mapping[str, Any]) -> list[str]:
        return super().unknown(_with_message(data))


def _with_message(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an input with its `body` as the message that it lacks."""
    if "message" in data or "body" not in data:
        return data
    return {"message" if key == "body" else key: value for key, value in data.items()}


class StatusInput(InputSerializer):
    """The new status of a ticket."""

    status = serializers.ChoiceField(TicketStatus.values)

    example = {"status": "resolved"}


class AssignInput(InputSerializer):
    """The new assignee of a ticket."""

    user_id = IdInput(allow_null=True, help_text="Id of a member of staff; null for nobody.")

    example = {"user_id": 3}


def ticket(row: Ticket) -> dict[str, Any]:
    return {
        **record(row),
        "number": row.number,
        "subject": row.subject,
        "status": row.status,
        "priority": row.priority,
        "category": _category(row.category),
        "requester": {"name": row.name or None, "email": row.email},
        "assignee": refer_to_user(row.assignee),
        "csat_rating": row.csat_rating,
        "message_count": row.message_count,
        "is_spam": row.is_spam,
        "first_response_at": instant(row.first_response_at),
        "resolved_at": instant(row.resolved_at),
        "closed_at": instant(row.closed_at),
        "last_message_at": instant(row.last_message_at),
    }


def _category(row: Category | None) -> dict[str, Any] | None:
    return None if row is None else {"id": row.pk, "name": row.name, "slug": row.slug}


def message(row: Message) -> dict[str, Any]:
    return {
        "id": row.pk,
        "author_name": row.author_name or None,
        "author_type": row.author_type,
        "body": row.body,
        "is_internal": row.is_internal,
        "created_at": instant(row.created_at),
    }


def ticket_detail(row: Ticket) -> dict[str, Any]:
    """Return a ticket with its whole thread."""
    thread = Message.objects.filter(ticket=row).order_by("created_at", "id")
    return {**ticket(row), "messages": [message(each) for each in thread]}
