"""The ledger: every entry of every member, found by member, reason and date, and downloaded."""

from collections.abc import Sequence
from typing import Any

import django_filters
from django import forms
from django.http import HttpRequest
from django.urls import URLPattern, path
from django.utils.functional import cached_property
from wagtail.admin.filters import DateRangePickerWidget, WagtailFilterSet
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import Column, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.viewsets.model import ModelViewSet

from cms_api.adminkit.admin import CsvListing, local_date
from cms_api.http.wire import instant
from commerce.members.models import Member

from ..models import PointsEntry
from ..selectors import entries, of_members_named
from ..types import points_in_words, reason_in_words

COLUMNS = ("Member", "Email", "Points", "Reason", "Reference", "Note", "By", "Created")


def asked_member(request: HttpRequest | None) -> Any:
    """The member whose ledger is asked for: nobody chooses among a hundred thousand."""
    text = request.GET.get("member", "") if request else ""
    known = text.isascii() and text.isdecimal() and len(text) < 19
    return Member.objects.select_related("user").filter(pk=int(text) if known else 0)


def known_reasons() -> list[tuple[str, str]]:
    found = PointsEntry.objects.order_by("reason").values_list("reason", flat=True).distinct()
    return [(reason, reason_in_words(reason)) for reason in found]


class EntryFilterSet(WagtailFilterSet):
    member = django_filters.ModelChoiceFilter(queryset=asked_member, empty_label="All", widget=forms.RadioSelect)
    reason = django_filters.ChoiceFilter(choices=known_reasons, widget=forms.RadioSelect, empty_label="All")
    created_at = django_filters.DateFromToRangeFilter(label="Date", widget=DateRangePickerWidget)

    class Meta:
        model = PointsEntry
        fields = ("member", "reason", "created_at")


class EntryIndexView(CsvListing, generic.IndexView):
    page_title = "Ledger"
    template_name = "members_admin/index.html"
    results_template_name = "members_admin/index_results.html"
    filterset_class = EntryFilterSet
    is_searchable = True
    default_ordering = ("-created_at", "-id")
    list_display = [
        "member",
        Column("points", label="Points", accessor=lambda entry: points_in_words(entry.points)),
        Column("reason", label="Reason", accessor="reason_words"),
        Column("note", label="Note"),
        Column("user", label="By", accessor=lambda entry: called(entry)),
        Column("created_at", label="Date", accessor=lambda entry: local_date(entry.created_at), sort_key="created_at"),
    ]

    @cached_property
    def columns(self) -> list[Any]:
        return [TitleColumn("member", label="Member", accessor=lambda entry: str(entry.member)), *self.list_display[1:]]

    def get_base_queryset(self) -> Any:
        return entries()

    def search_queryset(self, queryset: Any) -> Any:
        return of_members_named(queryset, self.search_query) if self.search_query else queryset

    def get_list_more_buttons(self, instance: PointsEntry) -> list[MenuItem]:
        return []

    def csv_header(self) -> Sequence[str]:
        return COLUMNS

    def csv_row(self, record: PointsEntry) -> Sequence[Any]:
        member = (record.member.name, record.member.email)
        return (*member, record.points, record.reason, record.reference, record.note, called(record), instant(record.created_at))


def called(entry: PointsEntry) -> str:
    """Whoever gave or took the points by hand."""
    return entry.user.get_full_name() or entry.user.get_username() if entry.user else ""


class EntryViewSet(ModelViewSet):
    model = PointsEntry
    icon = "list-ul"
    menu_label = "Ledger"
    menu_order = 20
    name = url_namespace = "loyalty_ledger"
    url_prefix = "loyalty/ledger"
    add_to_reference_index = False
    copy_view_enabled = False
    inspect_view_enabled = False
    list_per_page = 50
    export_filename = "points-ledger"
    index_view_class = EntryIndexView
    # Nobody writes one by hand; Wagtail wants to know all the same.
    form_fields = ["note"]

    def get_common_view_kwargs(self, **kwargs: Any) -> dict[str, Any]:
        none = ("add", "edit", "usage", "delete", "inspect", "copy", "history")
        return super().get_common_view_kwargs(**kwargs) | {f"{name}_url_name": None for name in none}

    def get_urlpatterns(self) -> list[URLPattern]:
        return [
            path("", self.index_view, name="index"),
            path("results/", self.index_results_view, name="index_results"),
        ]
