"""Comments in the admin: those awaiting moderation first, approved or marked as spam one by one or in bulk."""

from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.utils.text import Truncator
from wagtail.admin.menu import MenuItem
from wagtail.admin.ui.tables import Column
from wagtail.permissions import policy_registry

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, RecordColumn, StatusColumn, TransitionsColumn
from cms_api.adminkit.transitions import Transition
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.content.selectors import found_items, visible_type_rows

from ..models import Comment
from ..selectors import are_taken, takes_comments, visible_comments
from ..services import approve_comments, delete_comments, reject_comments
from ..types import Status
from . import bulk

SUMMARY_CHARACTERS = 80


def excerpt(comment: Comment) -> str:
    return Truncator(" ".join(comment.body.split())).chars(SUMMARY_CHARACTERS)


def found_by_words(comments: Any, text: str) -> Any:
    """Return comments on items that match the search, and comments whose author matches."""
    return comments.filter(Q(item__in=found_items(text).values("pk")) | Q(author_name__icontains=text) | Q(email__icontains=text))


class CommentsMenuItem(MenuItem):
    """A menu item for moderators, shown while the items of some type take comments."""

    def is_shown(self, request: HttpRequest) -> bool:
        return are_taken() and policy_registry.get_by_type(Comment).user_has_permission(request.user, "change")


class CommentViewSet(RecordViewSet):
    model = Comment
    icon = "comment"
    menu_label = "Comments"
    menu_item_class = CommentsMenuItem
    name = "comments"
    pages = ("inspect", "delete", "history")
    ordering = ("-waits", "-created_at", "-id")
    search = found_by_words
    bulk_actions, bulk_action_class = bulk.ACTIONS, bulk.CommentAction
    inspect_template_name = "comments_admin/comment.html"
    list_display = (
        RecordColumn("excerpt", label="Comment", accessor=excerpt),
        Column("author_name", label="Author"),
        Column("item", label="Item", accessor="item.title"),
        StatusColumn("status", label="Status", primary=lambda found: found.status == Status.APPROVED),
        MomentColumn("created_at", label="Date"),
        TransitionsColumn("decide", label="Moderate", accessor=lambda comment: "", shown=lambda comment: comment.waits),
    )
    filters = {
        "status": filters.choice(Status.choices),
        "type": filters.record(
            lambda request: visible_type_rows(),
            field_name="item__type",
            label="Content type",
            to_field_name="slug",
        ),
    }
    transitions = (
        Transition(
            "approve",
            "Approve",
            lambda comment, user, _: bool(approve_comments(comments=[comment], user=user)),
            "Comment approved and published.",
            "Someone else has already moderated this comment.",
            offered=lambda comment: comment.status != Status.APPROVED,
        ),
        Transition(
            "mark_as_spam",
            "Mark as spam",
            lambda comment, user, _: bool(reject_comments(comments=[comment], user=user)),
            "Marked as spam. It will be deleted after 30 days.",
            "Someone else has already moderated this comment.",
            offered=lambda comment: comment.status != Status.SPAM,
        ),
    )

    def records(self) -> Any:
        return visible_comments()

    def delete(self, record: Comment, user: Any) -> None:
        delete_comments(comments=[record], user=user)

    def inspect_context(self, record: Comment, request: HttpRequest) -> dict[str, Any]:
        return {"item_url": record.item.url if takes_comments(record.item) else ""}
