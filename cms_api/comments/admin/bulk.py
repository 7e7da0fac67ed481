"""Bulk actions of comments."""

from collections.abc import Mapping
from typing import Any

from django.utils.text import Truncator

from cms_api.adminkit.bulk_actions import ListingAction

from ..models import Comment
from ..services import approve_comments, delete_comments, reject_comments

#: How many characters of a comment are shown as its name.
SAID = 120


class CommentAction(ListingAction):
    icon = "comment"

    def named(self, record: Comment) -> str:
        return f"{record.author_name}: {Truncator(record.body).chars(SAID)}"


class ApproveComments(CommentAction):
    display_name = "Approve"
    action_type = "approve"
    heading = "Approve comments"
    consequence = "They will be published immediately."
    done = "approved"

    def act(self, records: list[Comment], given: Mapping[str, Any]) -> int:
        return approve_comments(comments=records, user=self.request.user)


class MarkCommentsAsSpam(CommentAction):
    display_name = "Mark as spam"
    action_type = "mark_as_spam"
    aria_label = "Mark selected comments as spam"
    heading = "Mark comments as spam"
    consequence = "Spam is hidden and deleted after 30 days."
    done = "marked as spam"

    def act(self, records: list[Comment], given: Mapping[str, Any]) -> int:
        return reject_comments(comments=records, user=self.request.user)


class DeleteComments(CommentAction):
    display_name = "Delete"
    action_type = "delete"
    classes = {"serious"}
    permission = "delete"
    heading = "Delete comments"
    consequence = "This cannot be undone."
    done = "deleted"

    def act(self, records: list[Comment], given: Mapping[str, Any]) -> int:
        return delete_comments(comments=records, user=self.request.user)


ACTIONS = (ApproveComments, MarkCommentsAsSpam, DeleteComments)
