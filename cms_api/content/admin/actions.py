"""Wagtail's create, edit and delete actions for content, delegated to the services."""

from typing import Any

from django.core.exceptions import PermissionDenied
from wagtail.actions.create import CreateAction
from wagtail.actions.delete import DeleteAction
from wagtail.actions.edit import EditAction
from wagtail.actions.registry import action_registry
from wagtail.log_actions import log
from wagtail.models import Revision

from ..models import ContentItem
from ..services import items
from ..types import Status
from .forms import public_status


class CreateItem(CreateAction):
    """Create a draft or, with `publish`, a public item."""

    def _create(self, skip_permission_checks: bool = False) -> ContentItem:
        sent = self.form.values() if self.form else items.content_of(self.instance)
        values = {**sent, "status": public_status(sent.get("published_at")) if self.publish else Status.DRAFT}
        item = items.create_item(item_type=self.instance.type, values=values, user=self.user, complete=self.publish)
        if self.publish:
            log(instance=item, action="wagtail.publish", user=self.user, revision=item.latest_revision)
        self.instance, self.revision = item, item.latest_revision
        return item


class EditItem(EditAction):
    """Save a draft or, with `publish`, make the changes public in one step."""

    def _edit(self, skip_permission_checks: bool = False) -> ContentItem:
        stored = ContentItem.objects.get(pk=self.instance.pk)
        values = items.content_of(self.instance)
        if self.publish:
            values["status"] = public_status(self.instance.published_at)
            item = items.update_item(item=stored, values=values, user=self.user)
            log(instance=item, action="wagtail.publish", user=self.user, revision=item.latest_revision)
        else:
            # Only values that differ from the stored item, so that the rest is not validated again.
            data = values["data"]
            values["data"] = {key: value for key, value in data.items() if value != stored.data.get(key)}
            overwrite = self._overwritable(stored)
            item, _ = items.save_draft(item=stored, values=values, user=self.user, overwrite=overwrite)
        self.instance, self.revision = item, item.latest_revision
        return item

    def _overwritable(self, stored: ContentItem) -> Revision | None:
        """Return the user's own latest revision, unless it is the public one."""
        revision = self.overwrite_revision
        if revision is None:
            return None
        if revision.pk != stored.latest_revision_id or revision.user_id != (self.user and self.user.pk):
            raise PermissionDenied("A newer version was saved meanwhile.")
        return None if revision.pk == stored.live_revision_id else revision


class DeleteItem(DeleteAction):
    def _delete(self) -> Any:
        items.delete_item(item=self.instance, user=self.user)


for _action in (CreateItem, EditItem, DeleteItem):
    action_registry.register(ContentItem, _action)
