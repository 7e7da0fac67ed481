"""RSVPs in the admin: filtered by event and date, with a headcount; cancel, reinstate and CSV download."""

from functools import reduce
from operator import or_
from typing import Any

import django_filters
from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from wagtail.admin.ui.tables import Column, TitleColumn

from cms_api.adminkit.columns import MomentColumn, NotedColumn, TransitionsColumn
from cms_api.adminkit.ids import is_id
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.content.models import ContentItem

from ..models import Rsvp
from ..selectors.rsvps import date_of, headcount, is_off, list_rsvps, promised_words, words_of
from ..services.rsvps import cancel, reinstate
from ..types.rsvps import ACTIVE, RsvpStatus


class DateField(django_filters.fields.ModelChoiceField):
    def label_from_instance(self, row: ContentItem) -> str:
        words = words_of(date_of(row))
        return f"{words} (cancelled)" if date_of(row).get("cancelled") else words


class DateChoice(django_filters.ModelChoiceFilter):
    field_class = DateField


def replied_rows(**narrowed: Any) -> QuerySet[ContentItem]:
    replies = Rsvp.objects.filter(**narrowed).order_by()
    return ContentItem.objects.filter(pk__in=replies.values("occurrence")).order_by("starts_at", "pk")


def replied_events(request: HttpRequest | None) -> QuerySet[ContentItem]:
    return ContentItem.objects.filter(pk__in=Rsvp.objects.order_by().values("event")).order_by("title", "pk").only("pk", "title")


def dates_of_event(request: HttpRequest | None) -> QuerySet[ContentItem]:
    """Return the dates of the chosen event; without one, at most the date in the query string."""
    asked = {name: _number(request, name) for name in ("event", "occurrence")}
    rows = replied_rows(event=asked["event"]) if asked["event"] else replied_rows(occurrence=asked["occurrence"])
    return rows.only("pk", "type_id", "owner_id", "title", "data", "starts_at")


def _number(request: HttpRequest | None, name: str) -> int:
    text = request.GET.get(name, "") if request else ""
    return int(text) if is_id(text) else 0


def by_status(rsvps: QuerySet[Rsvp], name: str, value: str) -> QuerySet[Rsvp]:
    """Show RSVPs that are not cancelled unless another status is chosen."""
    wanted = {
        "": list(ACTIVE),
        "going": [RsvpStatus.GOING],
        "waiting": [RsvpStatus.WAITING],
        "only": [RsvpStatus.CANCELLED],
    }
    return rsvps.filter(status__in=wanted[value]) if value in wanted else rsvps


class StatusFilter(django_filters.ChoiceFilter):
    def filter(self, qs: Any, value: Any) -> Any:
        return by_status(qs, "status", value or "")


def with_words(rsvps: QuerySet[Rsvp], text: str) -> QuerySet[Rsvp]:
    """RSVPs whose name or email contains every word."""
    for word in text.split()[:10]:
        # SQLite ignores case in ASCII only.
        spelled = {word, word.lower(), word.upper(), word.capitalize()} if not word.isascii() else {word}
        matches = [Q(name__icontains=each) | Q(email__icontains=each) for each in sorted(spelled)]
        rsvps = rsvps.filter(reduce(or_, matches))
    return rsvps


def describe_reinstated(rsvp: Rsvp) -> str:
    outcome = "is on the waiting list: there are not enough places" if rsvp.status == RsvpStatus.WAITING else "reinstated"
    return f"RSVP of {rsvp.name} {outcome}. They have been emailed."


class RsvpViewSet(RecordViewSet):
    model = Rsvp
    icon = "group"
    menu_label = "RSVPs"
    name = "rsvps"
    url_prefix = "events/rsvps"
    pages = ()
    search = with_words
    index_results_template_name = "events_admin/rsvps_results.html"
    list_display = (
        TitleColumn("name", label="Name", sort_key="name"),
        Column("email", label="Email", sort_key="email"),
        Column("event", label="Event", accessor="event.title"),
        NotedColumn(
            "occurrence",
            label="Date",
            accessor=promised_words,
            note=lambda rsvp: "Date cancelled" if is_off(rsvp) else "",
            sort_key="occurrence__starts_at",
        ),
        Column("party_size", label="Party size", sort_key="party_size"),
        TransitionsColumn("status", label="Status", accessor="get_status_display", sort_key="status"),
        MomentColumn("created_at", label="Created"),
    )
    filters = {
        "event": django_filters.ModelChoiceFilter(queryset=replied_events, label="Event", empty_label="All"),
        "occurrence": DateChoice(queryset=dates_of_event, label="Date", empty_label="All"),
        "cancelled": StatusFilter(
            choices=[
                ("going", "Only going"),
                ("waiting", "Only waiting list"),
                ("only", "Only cancelled"),
                ("1", "All"),
            ],
            label="Status",
            widget=forms.RadioSelect,
            empty_label="Not cancelled",
        ),
    }
    csv = {
        "Event": "event.title",
        "Occurrence": "occurrence_start",
        "Name": "name",
        "Email": "email",
        "Party size": "party_size",
        "Status": "status",
        "Created": "created_at",
    }
    transitions = (
        Transition(
            "cancel",
            "Cancel RSVP",
            calling(cancel, "rsvp"),
            "RSVP of {record.name} cancelled. They have been emailed.",
            "This RSVP was already cancelled.",
            offered=lambda rsvp: rsvp.status in ACTIVE,
        ),
        Transition(
            "reinstate",
            "Reinstate",
            calling(reinstate, "rsvp"),
            describe_reinstated,
            "This RSVP was already reinstated.",
            offered=lambda rsvp: rsvp.status == RsvpStatus.CANCELLED,
        ),
    )

    def records(self) -> QuerySet[Rsvp]:
        return list_rsvps()

    def list_context(self, records: QuerySet[Rsvp], request: HttpRequest) -> dict[str, Any]:
        return {"headcount": headcount(records)}
