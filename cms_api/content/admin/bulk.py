"""Deleting several items at once, through the service and among those that were listed."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from wagtail import hooks
from wagtail.snippets.bulk_actions.delete import DeleteBulkAction

from ..models import ContentItem
from ..selectors import find_type
from ..services.items import delete_item
from .access import visible_items


# After Wagtail's own, whose place it takes for this model.
@hooks.register("register_bulk_action", order=100)
class DeleteItems(DeleteBulkAction):
    models = [ContentItem]

    @classmethod
    def get_queryset(cls, model: Any, object_ids: Any) -> Any:
        return list(visible_items().filter(pk__in=object_ids))

    def get_all_objects_in_listing_query(self, parent_id: Any) -> Any:
        """All items of the listing that the person came from: one type's, where it showed one."""
        query = parse_qs(urlsplit(self.next_url).query)
        items = visible_items()
        if slug := query.get("type", [""])[0]:
            items = items.filter(type=find_type(slug))
        if status := query.get("status", [""])[0]:
            items = items.filter(status=status)
        return items.values_list("pk", flat=True)

    @classmethod
    def execute_action(cls, objects: Any, user: Any = None, **kwargs: Any) -> tuple[int, int]:
        for item in objects:
            delete_item(item=item, user=kwargs["self"].request.user)
        return len(objects), 0
