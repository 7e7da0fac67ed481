"""Invitations in the admin: who was asked for a review, who will be, and who won't."""

from typing import Any

from django.db.models import Q, QuerySet
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet

from ..models import Invitation
from ..selectors import invitations
from ..services import skip_invitation
from ..types import InvitationState, Source

TONES = {InvitationState.WAITING: "warning", InvitationState.SENT: "positive"}


def found_by_words(found: QuerySet[Invitation], text: str) -> QuerySet[Invitation]:
    """Return the invitations whose name or address begins with a text."""
    return found.filter(Q(name__istartswith=text.strip()) | Q(email__istartswith=text.strip()))


class InvitationViewSet(RecordViewSet):
    model = Invitation
    icon = "mail"
    menu_label = "Invitations"
    menu_order = 20
    name = "review_invitations"
    url_prefix = "reviews/invitations"
    pages = ("inspect", "history")
    ordering = ("-created_at", "-id")
    list_display = (
        RecordColumn("name", label="Customer", accessor=lambda each: each.name or each.email),
        Column("email", label="Email"),
        Column("source", label="After", accessor="get_source_display"),
        StatusColumn("state", label="Status", tone=lambda each: TONES.get(InvitationState(each.state), "")),
        Column("reason", label="Reason"),
        MomentColumn("due_at", label="Due"),
        MomentColumn("sent_at", label="Sent"),
        Column("review_count", label="Reviews", sort_key="review_count"),
        MomentColumn("created_at", label="Created"),
    )
    filters = {
        "state": filters.choice(InvitationState.choices, label="Status"),
        "source": filters.choice(Source.choices, label="After"),
    }
    search = found_by_words
    search_label = "Review invitations"
    search_order = 196
    csv = {
        "Name": "name",
        "Email": "email",
        "After": "source",
        "Status": "state",
        "Reason": "reason",
        "Due": "due_at",
        "Sent": "sent_at",
        "Reviews": "review_count",
        "Created": "created_at",
    }
    transitions = (
        Transition(
            "skip",
            "Don't send",
            calling(skip_invitation, "invitation"),
            "{record} won't be sent.",
            "{record} was already sent, or skipped.",
            offered=lambda each: each.state == InvitationState.WAITING,
            serious=True,
            confirm="This customer won't be asked for a review of this.",
        ),
    )
    bulk_actions = (
        Bulk(
            "skip",
            "Don't send",
            "skipped",
            "These customers won't be asked for these reviews.",
            each=calling(skip_invitation, "invitation"),
            serious=True,
        ),
    )

    def records(self) -> QuerySet[Invitation]:
        return invitations()

    def facts(self, record: Any) -> dict[str, Any]:
        return {
            "Status": record.get_state_display(),
            "Reason": record.reason or None,
            "Customer": record.name or None,
            "Email": record.email,
            "After": record.get_source_display(),
            "About": ", ".join(each.name for each in record.about) or None,
            "Due": record.due_at,
            "Sent": record.sent_at,
            "Reviews": str(record.review_count),
        }
