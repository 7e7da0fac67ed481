"""The listing of items, by type and status, with the same search as the API."""

from datetime import datetime
from typing import Any

import django_filters
from django import forms
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import cached_property
from django.utils.text import capfirst
from wagtail.admin.filters import WagtailFilterSet
from wagtail.admin.ui.tables import Column, DateColumn, StatusTagColumn
from wagtail.admin.widgets.button import HeaderButton
from wagtail.snippets.views import snippets

from cms_api.text.search import matching

from ..models import ContentItem, ContentType
from ..selectors import find_type, type_by_id, visible_types
from ..types import Status
from .access import visible_items
from .urls import add_url


class ItemFilterSet(WagtailFilterSet):
    type = django_filters.ModelChoiceFilter(
        queryset=lambda request: ContentType.objects.filter(pk__in=[found.pk for found in visible_types().values()]),
        to_field_name="slug",
        widget=forms.RadioSelect,
        empty_label="All",
    )
    status = django_filters.ChoiceFilter(
        choices=[(status.value, capfirst(status.value)) for status in Status], widget=forms.RadioSelect, empty_label="All"
    )

    class Meta:
        model = ContentItem
        fields = ("type", "status")


def local_date(moment: datetime | None) -> str:
    return date_format(timezone.localtime(moment), "j M Y, H:i") if moment else ""


def found_by_words(items: Any, text: str) -> Any:
    """Search like the API: all words must match, folded and by prefix."""
    return matching(items, text) if text.strip() else items


def listed(query: Any) -> Any:
    """Return all items of the listing for these query parameters."""
    filters = ItemFilterSet(query, queryset=visible_items())
    if not filters.is_valid():
        return visible_items().none()
    return found_by_words(filters.qs, query.get("q", ""))


class ItemIndexView(snippets.IndexView):
    filterset_class = ItemFilterSet
    is_searchable = True
    default_ordering = ("-listed_at", "-id")
    list_display = [
        "title",
        Column("type", label="Type", accessor=lambda item: type_by_id(item.type_id).name),
        StatusTagColumn("status", sort_key="status", primary=lambda item: item.status == Status.PUBLISHED),
        # Not relative like "3 days ago": a scheduled item's date is in the future.
        Column("published_at", label="Published", accessor=lambda item: local_date(item.published_at), sort_key="published_at"),
        DateColumn("updated_at", label="Updated", sort_key="updated_at"),
    ]

    @cached_property
    def item_type(self) -> ContentType | None:
        return find_type(self.request.GET.get("type", ""))

    def get_base_queryset(self) -> Any:
        return visible_items().defer("cached_json", "data")

    def search_queryset(self, queryset: Any) -> Any:
        return found_by_words(queryset, self.search_query)

    def get_page_title(self) -> str:
        return self.item_type.name_plural if self.item_type else "Content"

    def get_header_icon(self) -> str:
        return self.item_type.icon if self.item_type else "doc-full"

    def get_add_url(self) -> str | None:
        url = super().get_add_url()
        return add_url(self.item_type) if url and self.item_type else url

    @cached_property
    def add_item_label(self) -> str:
        return f"Add {self.item_type.name.lower()}" if self.item_type else "Add content"

    @cached_property
    def header_buttons(self) -> list[HeaderButton]:
        return [HeaderButton(self.add_item_label, url=self.add_url, icon_name="plus")] if self.add_url else []
