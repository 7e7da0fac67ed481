"""The list of items: its columns, filters and bulk action, and the title of the type by which it is filtered."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import cached_property
from wagtail.admin.ui.tables import Column, DateColumn, StatusTagColumn

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import ListingAction
from cms_api.adminkit.columns import MomentColumn, RecordColumn
from cms_api.adminkit.listing import ListView

from ..models import ContentItem, ContentType
from ..selectors import find_type, type_by_id
from ..services.items import delete_item
from ..types import Status
from .access import visible_items, visible_type_ids
from .urls import add_url

COLUMNS = (
    RecordColumn("title", label="Title", sort_key="title"),
    Column("type", label="Type", accessor=lambda item: type_by_id(item.type_id).name),
    StatusTagColumn("status", label="Status", sort_key="status", primary=lambda item: item.status == Status.PUBLISHED),
    # Not relative like "3 days ago": a scheduled item's date is in the future.
    MomentColumn("published_at", label="Published"),
    DateColumn("updated_at", label="Updated", sort_key="updated_at"),
)

FILTERS = {
    "type": filters.record(lambda request: ContentType.objects.filter(pk__in=visible_type_ids()), to_field_name="slug"),
    "status": filters.choice(Status.choices),
}


class DeleteItems(ListingAction):
    display_name = "Delete"
    action_type = "delete"
    aria_label = "Delete selected items"
    classes = {"serious"}
    icon = "bin"
    permission = "delete"
    heading = "Delete items"
    consequence = "They are removed from the items that refer to them. This cannot be undone."
    done = "deleted"

    def records(self) -> QuerySet[ContentItem]:
        """Return whole items: deleting them needs the columns that the list leaves out."""
        return visible_items()

    def act(self, records: list[ContentItem], given: Mapping[str, Any]) -> int:
        for item in records:
            delete_item(item=item, user=self.request.user)
        return len(records)


class ItemListView(ListView):
    @cached_property
    def kind(self) -> ContentType | None:
        return find_type(self.request.GET.get("type", ""))

    def get_page_title(self) -> str:
        return self.kind.name_plural if self.kind else "Content"

    def get_header_icon(self) -> str:
        return self.kind.icon if self.kind else "doc-full"

    def get_add_url(self) -> str | None:
        url = super().get_add_url()
        return add_url(self.kind) if url and self.kind else url

    @cached_property
    def add_item_label(self) -> str:
        return f"Add {self.kind.name.lower()}" if self.kind else "Add content"
