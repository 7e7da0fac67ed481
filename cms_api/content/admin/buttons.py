"""Additional buttons of the item form: cancelling a scheduled publication."""

from typing import Any

from wagtail import hooks
from wagtail.snippets.action_menu import UnpublishMenuItem
from wagtail.snippets.permissions import get_permission_name

from ..models import ContentItem
from ..types import Status


class UnscheduleMenuItem(UnpublishMenuItem):
    """Cancels a scheduled publication. Wagtail's own button is only for live items, which scheduled ones are not yet."""

    name = "action-unschedule"
    label = "Cancel scheduled publishing"

    def is_shown(self, context: Any) -> bool:
        item = context.get("instance")
        scheduled = context["view"] == "edit" and item is not None and item.status == Status.SCHEDULED
        return scheduled and context["request"].user.has_perm(get_permission_name("publish", ContentItem))


@hooks.register("register_snippet_action_menu_item")
def unschedule(model: type) -> UnscheduleMenuItem | None:
    return UnscheduleMenuItem(order=20) if model is ContentItem else None
