"""Decisions about several comments at once, through the services and among those that were listed."""

from typing import Any

from wagtail import hooks
from wagtail.admin.views.bulk_action import BulkAction
from wagtail.permissions import policy_registry

from ..models import Comment
from ..selectors import visible_comments
from ..services import approve_comments, delete_comments, reject_comments
from .listing import listed


class CommentAction(BulkAction):
    models = [Comment]
    template_name = "comments_admin/confirm_bulk.html"
    permission = "change"
    service: Any
    heading = ""
    #: What comes of it, and what is said of the comments afterwards.
    consequence = ""
    done = ""
    display_name = action_type = aria_label = ""

    def check_perm(self, obj: Any) -> bool:
        return bool(policy_registry.get_by_type(Comment).user_has_permission(self.request.user, self.permission))

    @classmethod
    def get_queryset(cls, model: Any, object_ids: Any) -> Any:
        wanted = [int(found) for found in map(str, object_ids) if found.isascii() and found.isdigit() and len(found) < 19]
        return list(visible_comments().filter(pk__in=wanted))

    def get_all_objects_in_listing_query(self, parent_id: Any) -> Any:
        """Those of the listing that the person came from, whose parameters the address carries on."""
        return list(listed(self.request.GET).values_list("pk", flat=True))

    def get_execution_context(self) -> dict[str, Any]:
        return {"user": self.request.user}

    @classmethod
    def execute_action(cls, objects: Any, user: Any = None, **kwargs: Any) -> tuple[int, int]:
        return cls.service(comments=objects, user=user), 0

    def get_success_message(self, num_parent_objects: int, num_child_objects: int) -> str:
        comments = "1 comment" if num_parent_objects == 1 else f"{num_parent_objects} comments"
        return f"{comments} {self.done}"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "action": self}


@hooks.register("register_bulk_action")
class ApproveComments(CommentAction):
    display_name = "Approve"
    action_type = "approve"
    aria_label = "Approve selected comments"
    action_priority = 10
    service = staticmethod(approve_comments)
    heading = "Approve comments"
    consequence = "What is approved shows on the page of its item at once."
    done = "approved."


@hooks.register("register_bulk_action")
class MarkCommentsAsSpam(CommentAction):
    display_name = "Mark as spam"
    action_type = "mark_as_spam"
    aria_label = "Mark selected comments as spam"
    action_priority = 20
    service = staticmethod(reject_comments)
    heading = "Mark comments as spam"
    consequence = "Spam shows nowhere, and is deleted after 30 days."
    done = "marked as spam."


@hooks.register("register_bulk_action")
class DeleteComments(CommentAction):
    display_name = "Delete"
    action_type = "delete"
    aria_label = "Delete selected comments"
    action_priority = 30
    classes = {"serious"}
    permission = "delete"
    service = staticmethod(delete_comments)
    heading = "Delete comments"
    consequence = "This cannot be undone."
    done = "deleted."
