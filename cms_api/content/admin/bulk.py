"""Bulk deletion of items, through the service and limited to the listed ones."""

from typing import Any

from wagtail import hooks
from wagtail.snippets.bulk_actions.delete import DeleteBulkAction

from ..models import ContentItem
from ..services.items import delete_item
from .access import visible_items
from .listing import listed


# After Wagtail's own action, to replace it for this model.
@hooks.register("register_bulk_action", order=100)
class DeleteItems(DeleteBulkAction):
    models = [ContentItem]

    @classmethod
    def get_queryset(cls, model: Any, object_ids: Any) -> Any:
        return list(visible_items().filter(pk__in=object_ids))

    def get_all_objects_in_listing_query(self, parent_id: Any) -> Any:
        """Return the items of the listing that the user came from; the URL carries its parameters."""
        return listed(self.request.GET).values_list("pk", flat=True)

    @classmethod
    def execute_action(cls, objects: Any, user: Any = None, **kwargs: Any) -> tuple[int, int]:
        for item in objects:
            delete_item(item=item, user=kwargs["self"].request.user)
        return len(objects), 0
