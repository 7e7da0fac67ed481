"""RSVPs in the admin: who comes to which date and how many they are; called off, put back, and downloaded."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

import django_filters
from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from wagtail.admin import messages
from wagtail.admin.filters import WagtailFilterSet
from wagtail.admin.ui.tables import Column, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.permissions import policy_registry

from cms_api.adminkit.admin import CsvListing, RecordAction
from cms_api.adminkit.columns import local_date
from cms_api.content.models import ContentItem
from cms_api.http.wire import instant

from ..models import Rsvp
from ..selectors.rsvps import date_of, headcount, is_off, listed, promised_words, words_of
from ..services.rsvps import cancel, reinstate
from ..types.rsvps import RsvpStatus

COLUMNS = ("Event", "Occurrence", "Name", "Email", "Party size", "Status", "Created")


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
    """The dates of the chosen event; without one, at most the date that is asked for."""
    asked = {name: _number(request, name) for name in ("event", "occurrence")}
    rows = replied_rows(event=asked["event"]) if asked["event"] else replied_rows(occurrence=asked["occurrence"])
    return rows.only("pk", "type_id", "owner_id", "title", "data", "starts_at")


def _number(request: HttpRequest | None, name: str) -> int:
    text = request.GET.get(name, "") if request else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


class RsvpFilterSet(WagtailFilterSet):
    event = django_filters.ModelChoiceFilter(queryset=replied_events, label="Event", empty_label="All")
    occurrence = DateChoice(queryset=dates_of_event, label="Occurrence", empty_label="All")
    cancelled = django_filters.ChoiceFilter(
        choices=[("1", "Those who called off as well"), ("only", "Only those who called off")],
        label="Cancelled",
        method="by_state",
        widget=forms.RadioSelect,
        empty_label="Only those going",
    )

    def by_state(self, queryset: Any, name: str, value: str) -> Any:
        return queryset.filter(status=RsvpStatus.CANCELLED) if value == "only" else queryset

    def filter_queryset(self, queryset: Any) -> Any:
        found = super().filter_queryset(queryset)
        return found if self.form.cleaned_data.get("cancelled") else found.filter(status=RsvpStatus.GOING)

    class Meta:
        model = Rsvp
        fields = ("event", "occurrence", "cancelled")


class StatusColumn(Column):
    """Where a reply stands, and the button that changes it."""

    cell_template_name = "events_admin/status_cell.html"

    def get_cell_context_data(self, instance: Rsvp, parent_context: Any) -> dict[str, Any]:
        request = parent_context["request"]
        context: dict[str, Any] = super().get_cell_context_data(instance, parent_context)
        return context | {
            "csrf_token": get_token(request),
            "may_change": policy_registry.get_by_type(Rsvp).user_has_permission(request.user, "change"),
            "is_going": instance.status == RsvpStatus.GOING,
            # Also where the results are fetched by themselves.
            "back": f"{reverse('rsvps:index')}?{request.GET.urlencode()}",
        }


class OccurrenceColumn(Column):
    """The date in words, and whether it is cancelled."""

    cell_template_name = "events_admin/occurrence_cell.html"

    def get_cell_context_data(self, instance: Rsvp, parent_context: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_cell_context_data(instance, parent_context)
        return context | {"words": promised_words(instance), "is_off": is_off(instance)}


class RsvpIndexView(CsvListing, generic.IndexView):
    filterset_class = RsvpFilterSet
    is_searchable = True
    search_fields = ["name", "email"]
    default_ordering = ("-created_at", "-id")
    template_name = "events_admin/rsvps.html"
    results_template_name = "events_admin/rsvps_results.html"
    list_display = [
        "name",
        Column("email", label="Email", sort_key="email"),
        Column("event", label="Event", accessor="event.title"),
        OccurrenceColumn("occurrence", label="Occurrence", sort_key="occurrence__starts_at"),
        Column("party_size", label="Party size", sort_key="party_size"),
        StatusColumn("status", label="Status", sort_key="status"),
        Column("created_at", label="Created", accessor=lambda found: local_date(found.created_at), sort_key="created_at"),
    ]

    @cached_property
    def columns(self) -> list[Any]:
        return [TitleColumn("name", label="Name", sort_key="name"), *self.list_display[1:]]

    def get_base_queryset(self) -> Any:
        return listed()

    def search_queryset(self, queryset: Any) -> Any:
        for word in self.search_query.replace("\0", "").split()[:10] if self.search_query else ():
            # SQLite knows capitals of the Latin alphabet alone.
            spelled = {word, word.lower(), word.upper(), word.capitalize()} if not word.isascii() else {word}
            named = [Q(name__icontains=each) | Q(email__icontains=each) for each in sorted(spelled)]
            queryset = queryset.filter(reduce(or_, named))
        return queryset

    def get_context_data(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(*args, **kwargs, headcount=headcount(self.get_queryset()))

    def csv_header(self) -> Sequence[str]:
        return COLUMNS

    def csv_row(self, record: Rsvp) -> Sequence[Any]:
        about = (record.event.title, record.occurrence_start, record.name, record.email, record.party_size)
        return (*about, record.status, instant(record.created_at))


class RsvpAction(RecordAction):
    model = Rsvp

    def home(self, record: Rsvp) -> str:
        return reverse("rsvps:index")


class CallOffView(RsvpAction):
    def act(self, request: HttpRequest, record: Rsvp) -> None:
        if cancel(rsvp=record, user=request.user):
            messages.success(request, f"Called off for {record.name}, who is told by mail.")
        else:
            messages.warning(request, "It had been called off before.")


class ReinstateView(RsvpAction):
    def act(self, request: HttpRequest, record: Rsvp) -> None:
        if reinstate(rsvp=record, user=request.user):
            messages.success(request, f"{record.name} is coming again, and is told by mail.")
        else:
            messages.warning(request, "It had been put back before.")


class RsvpViewSet(ModelViewSet):
    model = Rsvp
    icon = "group"
    menu_label = "RSVPs"
    menu_order = 10
    name = "rsvps"
    url_prefix = "events/rsvps"
    url_namespace = "rsvps"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = False
    list_per_page = 50
    export_filename = "rsvps"
    index_view_class = RsvpIndexView
    # Nobody writes one by hand; Wagtail wants to know all the same.
    form_fields = ["party_size"]

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        none = ("add", "edit", "usage", "delete", "inspect", "copy", "history")
        return super().get_common_view_kwargs(**kwargs) | {f"{name}_url_name": None for name in none}

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("call-off/<int:pk>/", CallOffView.as_view(), name="call_off"),
            path("reinstate/<int:pk>/", ReinstateView.as_view(), name="reinstate"),
        ]
