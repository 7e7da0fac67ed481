"""The list of items: its columns, filters and bulk actions, and the title of the type by which it is filtered."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import cached_property
from wagtail.admin.ui.tables import Column, DateColumn

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk, ListingAction
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn
from cms_api.adminkit.listing import ListView
from cms_api.adminkit.transitions import calling

from ..models import ContentItem, ContentType
from ..selectors import find_type, type_by_id
from ..services.items import delete_item, publish_item, unpublish_item
from ..types import Status
from .access import visible_items, visible_type_ids
from .urls import add_url

TONES = {Status.PUBLISHED: "positive", Status.SCHEDULED: "info", Status.UNPUBLISHED: "warning"}

COLUMNS = (
    RecordColumn("title", label="Title", sort_key="title"),
    Column("type", label="Type", accessor=lambda item: type_by_id(item.type_id).name),
    StatusColumn(
        "status",
        label="Status",
        sort_key="status",
        tone=lambda item: TONES.get(item.status, ""),
        note=lambda item: "Unpublished changes" if item.live and item.has_unpublished_changes else "",
    ),
    # Not relative like "3 days ago": a scheduled item's date is in the future.
    MomentColumn("published_at", label="Published"),
    DateColumn("updated_at", label="Updated", sort_key="updated_at"),
)

FILTERS = {
    "type": filters.record(lambda request: ContentType.objects.filter(pk__in=visible_type_ids()), to_field_name="slug"),
    "status": filters.choice(Status.choices),
}


class ItemAction(ListingAction):
    """Names what it counts by the type of the items, if they have the same one."""

    #: The ids of the types of the chosen items.
    kinds: frozenset[int] = frozenset()

    def records(self) -> QuerySet[ContentItem]:
        """Return whole items: services need the columns that the list leaves out."""
        return visible_items().select_related("latest_revision")

    def get_actionable_objects(self) -> tuple[list[ContentItem], dict[str, Any]]:
        found, others = super().get_actionable_objects()
        self.kinds = frozenset(item.type_id for item in found)
        return found, others

    def format_count(self, number: int) -> str:
        return counted_items(number, type_by_id(*self.kinds)) if len(self.kinds) == 1 else super().format_count(number)


def counted_items(number: int, item_type: ContentType) -> str:
    """ "1 blog post", "3 blog posts"."""
    one, many = item_type.name, item_type.name_plural
    if len(many) <= len(one):
        # It names the section, like "Blog" or "News", not several items.
        many = f"{one}s"
    return f"{number:,} {lower_first(one if number == 1 else many)}"


def lower_first(name: str) -> str:
    """Return a name as it stands within a sentence, unless it begins with an abbreviation."""
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def unpublish(item: ContentItem, user: Any, values: Mapping[str, Any]) -> bool:
    is_public = item.status in {Status.PUBLISHED, Status.SCHEDULED}
    return is_public and unpublish_item(item=item, user=user) is not None


BULK_ACTIONS = (
    Bulk(
        "publish",
        "Publish",
        "published",
        "Their latest changes will be on the site. Items with a date in the future are scheduled.",
        each=calling(publish_item, "item"),
        permission="publish",
    ),
    Bulk(
        "unpublish",
        "Unpublish",
        "unpublished",
        "They will not be on the site any more, and scheduled ones will not be published.",
        each=unpublish,
        permission="publish",
    ),
    Bulk(
        "delete",
        "Delete",
        "deleted",
        "They are removed from the items that refer to them. This cannot be undone.",
        each=calling(delete_item, "item"),
        permission="delete",
        serious=True,
    ),
)


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
        return f"Add {lower_first(self.kind.name)}" if self.kind else "Add content"

    @property
    def select_all_label(self) -> str:
        return "Select all items of this list"

    @property
    def item_type(self) -> str:
        return "ITEM"

    @cached_property
    def is_empty_type(self) -> bool:
        """Whether the list is empty because the type has no items, rather than because of a search or another filter."""
        return bool(self.kind and not visible_items().filter(type=self.kind).exists())

    @cached_property
    def first_item_label(self) -> str:
        return f"Create the first {lower_first(self.kind.name)}" if self.kind else ""
