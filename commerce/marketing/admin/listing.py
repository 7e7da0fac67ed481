"""The listing of subscribers: found by status, tag, source, date and words, and downloaded."""

from collections.abc import Sequence
from typing import Any

import django_filters
from django import forms
from django.db.models import QuerySet
from django.utils.functional import cached_property
from django.utils.text import Truncator
from wagtail.admin.filters import DateRangePickerWidget, WagtailFilterSet
from wagtail.admin.ui.menus import MenuItem
from wagtail.admin.ui.tables import BulkActionsCheckboxColumn, Column, StatusTagColumn, TitleColumn
from wagtail.admin.views import generic
from wagtail.admin.widgets.button import HeaderButton

from cms_api.adminkit.admin import CsvListing
from cms_api.adminkit.columns import local_date
from cms_api.http.wire import instant
from cms_api.text.search import matching
from commerce.common.selectors import tagged
from commerce.common.types import MAX_TAG
from commerce.imports.admin import import_buttons

from ..models import Subscriber
from ..selectors import sources
from ..types import Status

COLUMNS = ("Email", "First name", "Last name", "Status", "Tags", "Source", "Confirmed", "Unsubscribed", "Created")
SUMMARY = 60


class SubscriberFilterSet(WagtailFilterSet):
    status = django_filters.ChoiceFilter(choices=Status.choices, widget=forms.RadioSelect, empty_label="All")
    tag = django_filters.CharFilter(label="Tag", method="by_tag", max_length=MAX_TAG)
    source = django_filters.ChoiceFilter(empty_label="All", choices=lambda: [(each, each) for each in sources()])
    created_at = django_filters.DateFromToRangeFilter(label="Since when", widget=DateRangePickerWidget)

    def by_tag(self, queryset: QuerySet[Subscriber], name: str, value: str) -> QuerySet[Subscriber]:
        return tagged(queryset, value)

    class Meta:
        model = Subscriber
        fields = ("status", "tag", "source", "created_at")


def listed(query: Any) -> QuerySet[Subscriber]:
    """Every subscriber of the listing that these parameters of its address show."""
    filters = SubscriberFilterSet(query, queryset=Subscriber.objects.all())
    if not filters.is_valid():
        return Subscriber.objects.none()
    words = query.get("q", "")
    return matching(filters.qs, words) if words.strip() else filters.qs


class SubscriberIndexView(CsvListing, generic.IndexView):
    template_name = "marketing_admin/subscribers.html"
    filterset_class = SubscriberFilterSet
    is_searchable = True
    default_ordering = ("-created_at", "-id")
    list_display = [
        BulkActionsCheckboxColumn("bulk_actions", obj_type="subscriber"),
        "email",
        Column("name", label="Name"),
        StatusTagColumn(
            "status", label="Status", accessor="get_status_display", primary=lambda found: found.status == Status.ACTIVE
        ),
        Column("tags", label="Tags", accessor=lambda found: Truncator(", ".join(found.tags)).chars(SUMMARY)),
        Column("source", label="Source", sort_key="source"),
        Column("confirmed_at", label="Confirmed", accessor=lambda found: local_date(found.confirmed_at)),
        Column("created_at", label="Since", accessor=lambda found: local_date(found.created_at), sort_key="created_at"),
    ]

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [*super().header_buttons, *import_buttons("subscribers", self.request.user)]

    @cached_property
    def columns(self) -> list[Any]:
        title = self._get_title_column_class(TitleColumn)
        found = title(
            "email",
            label="Email",
            sort_key="email",
            get_url=self.get_inspect_url,
            get_title_id=lambda subscriber: f"subscriber_{subscriber.pk}_title",
        )
        return [found if column == "email" else column for column in self.list_display]

    def search_queryset(self, queryset: QuerySet[Subscriber]) -> QuerySet[Subscriber]:
        return matching(queryset, self.search_query) if self.search_query else queryset

    def get_list_more_buttons(self, instance: Subscriber) -> list[MenuItem]:
        return [
            MenuItem("Inspect", url=self.get_inspect_url(instance), icon_name="info-circle", priority=10),
            *super().get_list_more_buttons(instance),
        ]

    def csv_header(self) -> Sequence[str]:
        return COLUMNS

    def csv_row(self, record: Subscriber) -> Sequence[Any]:
        about = (record.email, record.first_name, record.last_name, record.status, ", ".join(record.tags), record.source)
        return (*about, *map(instant, (record.confirmed_at, record.unsubscribed_at, record.created_at)))
