"""Tickets in the admin."""

from collections.abc import Mapping
from typing import Any

import django_filters
from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from wagtail.admin.panels import FieldPanel, FieldRowPanel, MultiFieldPanel
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn, person
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.text.search import matching
from commerce.common.admin.cells import link, paragraphs
from commerce.common.types.codes import number_key

from ..models import Category, Tag, Ticket
from ..selectors.clocks import clock_of
from ..selectors.tickets import admin_url, tickets
from ..services import (
    assign_ticket,
    mark_spam,
    merge_tickets,
    open_ticket,
    release_ticket,
    set_category,
    set_priority,
    set_requester,
    set_status,
    set_subject,
    set_tags,
)
from ..types.tickets import AWAITING_STAFF, BEST_RATING, SERIES, Channel, Priority, TicketStatus
from .conversation import CannedView, FileView, OriginalView, ReplyView, TicketView
from .forms import AssignForm, CategoryForm, MergeForm, PriorityForm, TagsForm, TicketForm
from .reports import ResponseTimesView
from .words import NOBODY, agent_choices, clock_words, priority_tone, status_note, status_tone

UNASSIGNED = "none"
OPEN, PENDING, RESOLVED, CLOSED = TicketStatus
#: Other tickets of the requester on the page of a ticket, the latest ones.
SHOWN_TICKETS = 10


def find(found: QuerySet[Ticket], text: str) -> QuerySet[Ticket]:
    """Search tickets by their number, such as `SUP-1001`, or by words."""
    key = number_key(text)
    return found.filter(number=key) if key.startswith(f"{SERIES}-") else matching(found, text)


def by_status(found: QuerySet[Ticket], name: str, value: str) -> QuerySet[Ticket]:
    return found.filter(status=OPEN if value == AWAITING_STAFF else value)


def by_assignee(found: QuerySet[Ticket], name: str, value: str) -> QuerySet[Ticket]:
    return found.filter(assignee=None if value == UNASSIGNED else int(value))


def assignees() -> list[tuple[str, str]]:
    return [(UNASSIGNED, NOBODY), *agent_choices()[1:]]


class SpamFilter(django_filters.ChoiceFilter):
    """Leaves spam out unless it is asked for."""

    def __init__(self) -> None:
        super().__init__(
            choices=[("only", "Only spam"), ("with", "With spam")],
            label="Spam",
            empty_label="Without spam",
            widget=forms.RadioSelect,
        )

    def filter(self, found: QuerySet[Ticket], value: str) -> QuerySet[Ticket]:
        return found if value == "with" else found.filter(is_spam=value == "only")


def to_status(status: TicketStatus) -> Any:
    return lambda ticket, user, values: set_status(ticket=ticket, status=status, user=user)


def assign(ticket: Ticket, user: Any, values: Mapping[str, Any]) -> bool:
    return assign_ticket(ticket=ticket, user_id=values["user_id"], user=user).assignee_id != ticket.assignee_id


def categorize(ticket: Ticket, user: Any, values: Mapping[str, Any]) -> None:
    chosen = Category.objects.filter(pk=values["category"]).first() if values["category"] else None
    set_category(ticket=ticket, category=chosen, user=user)


def close(ticket: Ticket, user: Any, values: Mapping[str, Any]) -> bool:
    set_status(ticket=ticket, status=CLOSED, user=user)
    return not ticket.is_closed


TRANSITIONS = (
    Transition(
        "take",
        "Assign to me",
        lambda ticket, user, values: assign_ticket(ticket=ticket, user_id=user.pk, user=user),
        "{record.number} is assigned to you.",
        offered=lambda ticket: ticket.assignee_id is None and not ticket.is_closed,
    ),
    Transition(
        "reopen",
        "Reopen",
        to_status(OPEN),
        "{record.number} is open again.",
        offered=lambda ticket: ticket.status != OPEN and ticket.merged_into_id is None,
    ),
    Transition(
        "wait",
        "Wait for the requester",
        to_status(PENDING),
        "{record.number} waits for the requester.",
        offered=lambda ticket: ticket.status == OPEN,
    ),
    Transition(
        "resolve",
        "Resolve",
        to_status(RESOLVED),
        "{record.number} resolved.",
        offered=lambda ticket: ticket.status in {OPEN, PENDING},
    ),
    Transition("close", "Close", to_status(CLOSED), "{record.number} closed.", offered=lambda ticket: not ticket.is_closed),
    Transition("assign", "Assign", assign, "Assignee changed.", "The assignee is the same.", form=AssignForm),
    Transition(
        "priority",
        "Change",
        lambda ticket, user, values: set_priority(ticket=ticket, priority=values["priority"], user=user),
        "Priority changed.",
        form=PriorityForm,
    ),
    Transition("category", "Change", categorize, "Category changed.", form=CategoryForm),
    Transition(
        "tags",
        "Save",
        lambda ticket, user, values: set_tags(ticket=ticket, tags=values["tags"], user=user),
        "Tags saved.",
        form=TagsForm,
    ),
    Transition(
        "merge",
        "Merge",
        lambda ticket, user, values: merge_tickets(ticket=ticket, into=values["into"], user=user),
        "{record.number} merged.",
        offered=lambda ticket: ticket.merged_into_id is None and not ticket.is_spam,
        form=MergeForm,
        on_page=True,
        leads_to=lambda ticket: admin_url(ticket.pk),
        confirm=(
            "The messages of this ticket move into the other one, which gets all later answers. This ticket is closed, "
            "and cannot be separated again."
        ),
    ),
    Transition(
        "mark_spam",
        "Mark as spam",
        calling(mark_spam, "ticket"),
        "{record.number} marked as spam.",
        offered=lambda ticket: not ticket.is_spam,
        serious=True,
    ),
    Transition(
        "release",
        "Release from spam",
        calling(release_ticket, "ticket"),
        "{record.number} released.",
        offered=lambda ticket: ticket.is_spam,
    ),
)
BULK = (
    Bulk("assign", "Assign", "assigned", "They get this assignee.", each=assign, form=AssignForm),
    Bulk("close", "Close", "closed", "Their requesters can continue them with a new message.", each=close),
    Bulk(
        "spam",
        "Mark as spam",
        "marked as spam",
        "Nothing is sent for them any more.",
        each=calling(mark_spam, "ticket"),
        phrase="Mark {} as spam",
        serious=True,
    ),
)


class TicketViewSet(RecordViewSet):
    model = Ticket
    icon = "help"
    menu_label = "Tickets"
    menu_order = 10
    name = "support_tickets"
    url_prefix = "support/tickets"
    pages = ("add", "edit", "inspect", "history")
    add_label = "New ticket"
    ordering = ("-last_message_at", "-id")
    inspect_view_class = TicketView
    inspect_template_name = "support_admin/ticket.html"
    list_display = (
        Column("number", label="Number", sort_key="created_at"),
        RecordColumn("subject", label="Subject", accessor="subject"),
        NotedColumn(
            "requester", label="Requester", note=lambda ticket: ticket.email if ticket.name else "", sort_key="email", width="18%"
        ),
        StatusColumn("status", label="Status", tone=status_tone, note=status_note),
        StatusColumn("priority", label="Priority", tone=priority_tone),
        Column("category", label="Category", accessor=lambda ticket: ticket.category or ""),
        Column("assignee", label="Assignee", accessor=lambda ticket: person(ticket.assignee)),
        MomentColumn("last_message_at", label="Last message"),
    )
    nulls_last = ("last_message_at",)
    filters = {
        "status": filters.choice(
            [(AWAITING_STAFF, "Awaiting an answer"), *TicketStatus.choices], label="Status", method=by_status
        ),
        "priority": filters.choice(Priority.choices),
        "category": filters.record(Category.objects.all()),
        "assignee": filters.choice(assignees, label="Assignee", method=by_assignee),
        "tags": filters.record(Tag.objects.order_by("name"), label="Tag"),
        "is_spam": SpamFilter(),
        "created_at": filters.date_range("Created"),
    }
    search = find
    search_label = "Support tickets"
    search_order = 190
    csv = {
        "Number": "number",
        "Subject": "subject",
        "Name": "name",
        "Email": "email",
        "Status": "status",
        "Priority": "priority",
        "Category": lambda ticket: ticket.category.name if ticket.category else "",
        "Assignee": lambda ticket: person(ticket.assignee),
        "Channel": "channel",
        "Messages": "message_count",
        "Rating": lambda ticket: ticket.csat_rating or "",
        "Spam": lambda ticket: "yes" if ticket.is_spam else "no",
        "Created": "created_at",
        "First response": "first_response_at",
        "Resolved": "resolved_at",
        "Closed": "closed_at",
        "Last message": "last_message_at",
    }
    form = TicketForm
    panels = (
        MultiFieldPanel(
            [FieldRowPanel([FieldPanel("name"), FieldPanel("email")])],
            heading="Requester",
            icon="user",
        ),
        MultiFieldPanel(
            [
                FieldPanel("subject"),
                FieldRowPanel([FieldPanel("category"), FieldPanel("priority")]),
                FieldPanel("message", help_text="The request, in the requester's words. They get a confirmation by email."),
            ],
            heading="Request",
            icon="help",
        ),
    )
    transitions = TRANSITIONS
    bulk_actions = BULK

    def records(self) -> QuerySet[Ticket]:
        return tickets(include_spam=True)

    def create(self, values: dict[str, Any], user: Any) -> Ticket:
        return open_ticket(values=values, channel=Channel.ADMIN, user=user, by_staff=True)

    def update(self, record: Ticket, values: dict[str, Any], user: Any) -> Ticket:
        set_subject(ticket=record, subject=values["subject"], user=user)
        return set_requester(ticket=record, email=values["email"], name=values["name"], user=user)

    def page_url(self, name: str, pk: int) -> str:
        return reverse(self.get_url_name(name), args=[pk])

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        reply = self.construct_view(ReplyView, **self.get_inspect_view_kwargs())
        return [
            path("inspect/<id:pk>/reply/", reply, name="reply"),
            path("canned/<id:pk>/", self.construct_view(CannedView), name="canned"),
            path("files/<id:pk>/", self.construct_view(FileView), name="file"),
            path("originals/<id:pk>/", self.construct_view(OriginalView), name="original"),
            path("response-times/", self.construct_view(ResponseTimesView), name="response_times"),
        ]

    def facts(self, record: Ticket) -> dict[str, Any]:
        clock = clock_of(record)
        rating = f"{record.csat_rating} of {BEST_RATING}" if record.csat_rating else None
        return {
            "Arrived by": record.get_channel_display(),
            "First response": clock_words(clock.first_response),
            "Resolution": clock_words(clock.resolution),
            "Rating": rating,
            "Comment": paragraphs(record.csat_comment),
            "Follows": link(record.follows, admin_url(record.follows.pk)) if record.follows else None,
            "Merged into": link(record.merged_into, admin_url(record.merged_into.pk)) if record.merged_into else None,
            "Reason for spam": record.spam_reason or None,
            "Reminded": record.nudged_at,
            "Created": record.created_at,
            "Resolved": record.resolved_at,
            "Closed": record.closed_at,
        }

    def inspect_context(self, record: Ticket, request: HttpRequest) -> dict[str, Any]:
        others = Ticket.objects.filter(email=record.email).exclude(pk=record.pk).order_by("-created_at", "-id")
        return {
            "status_tone": status_tone(record),
            "priority_tone": priority_tone(record),
            "others": [(each, admin_url(each.pk), status_tone(each)) for each in others[:SHOWN_TICKETS]],
        }
