"""RSVPs in the admin: who comes to which date and how many they are; called off, put back, and downloaded."""

import csv
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import reduce, wraps
from operator import or_
from typing import Any

import django_filters
from django import forms
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import cached_property
from django.views.generic import View
from wagtail.admin import messages
from wagtail.admin.filters import WagtailFilterSet
from wagtail.admin.menu import MenuItem
from wagtail.admin.ui.tables import Column, TitleColumn
from wagtail.admin.utils import get_valid_next_url_from_request
from wagtail.admin.views import generic
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin
from wagtail.admin.views.mixins import Echo
from wagtail.admin.viewsets.model import ModelViewSet
from wagtail.admin.widgets.button import Button
from wagtail.permissions import policy_registry

from cms_api.content.models import ContentItem
from cms_api.core.errors import Invalid
from cms_api.core.spreadsheets import safe_cell
from cms_api.core.wire import instant
from cms_api.flags.selectors import is_on

from ..models import Rsvp
from ..selectors.rsvps import FEATURE, date_of, headcount, is_off, listed, promised_words, words_of
from ..services.rsvps import cancel, reinstate
from ..types.rsvps import RsvpStatus

#: Rows that are read at once.
BATCH = 500
COLUMNS = ("Event", "Occurrence", "Name", "Email", "Party size", "Status", "Created")


def while_on(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view that is not there while events are off."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not is_on(FEATURE):
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


def local_date(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "j M Y, H:i")


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


class RsvpIndexView(generic.IndexView):
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
    FORMATS = ("csv",)
    list_export = ["id"]

    @cached_property
    def columns(self) -> list[Any]:
        return [TitleColumn("name", label="Name", sort_key="name"), *self.list_display[1:]]

    @cached_property
    def header_more_buttons(self) -> list[Button]:
        return [Button("Download CSV", url=self.get_export_url("csv"), icon_name="download", priority=90)]

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

    def stream_csv(self, queryset: QuerySet[Rsvp]) -> Iterator[bytes]:
        writer = csv.writer(Echo())
        yield writer.writerow(COLUMNS)
        for found in queryset.iterator(chunk_size=BATCH):
            about = [found.event.title, found.occurrence_start, found.name, found.email, found.party_size]
            yield writer.writerow(map(safe_cell, [*about, found.status, instant(found.created_at)]))


class RsvpAction(PermissionCheckedMixin, View):
    """A button of the list; leads back to where it was."""

    permission_required = "change"
    model = Rsvp

    def post(self, request: HttpRequest, pk: int) -> HttpResponse:
        found = get_object_or_404(Rsvp, pk=pk)
        try:
            self.act(request, found)
        except Invalid as refusal:
            messages.error(request, refusal.message)
        return redirect(get_valid_next_url_from_request(request) or reverse("rsvps:index"))

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        return redirect("rsvps:index")

    def act(self, request: HttpRequest, rsvp: Rsvp) -> None:
        raise NotImplementedError


class CallOffView(RsvpAction):
    def act(self, request: HttpRequest, rsvp: Rsvp) -> None:
        if cancel(rsvp=rsvp, user=request.user):
            messages.success(request, f"Called off for {rsvp.name}, who is told by mail.")
        else:
            messages.warning(request, "It had been called off before.")


class ReinstateView(RsvpAction):
    def act(self, request: HttpRequest, rsvp: Rsvp) -> None:
        if reinstate(rsvp=rsvp, user=request.user):
            messages.success(request, f"{rsvp.name} is coming again, and is told by mail.")
        else:
            messages.warning(request, "It had been put back before.")


class RsvpsMenuItem(MenuItem):
    """Shown to those who may see replies, while events are on."""

    def is_shown(self, request: HttpRequest) -> bool:
        may = policy_registry.get_by_type(Rsvp).user_has_any_permission(request.user, ["view", "change"])
        return bool(is_on(FEATURE) and may)


class RsvpViewSet(ModelViewSet):
    model = Rsvp
    icon = "group"
    menu_label = "RSVPs"
    menu_order = 10
    menu_item_class = RsvpsMenuItem
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

    def construct_view(self, view_class: Any, **kwargs: Any) -> Any:
        return while_on(super().construct_view(view_class, **kwargs))

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        none = ("add", "edit", "usage", "delete", "inspect", "copy", "history")
        return super().get_common_view_kwargs(**kwargs) | {f"{name}_url_name": None for name in none}

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
            path("call-off/<int:pk>/", while_on(CallOffView.as_view()), name="call_off"),
            path("reinstate/<int:pk>/", while_on(ReinstateView.as_view()), name="reinstate"),
        ]
