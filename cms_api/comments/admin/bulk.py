"""Bulk actions of comments."""

from django.utils.text import Truncator

from cms_api.adminkit.bulk_actions import Bulk, ListingAction
from cms_api.adminkit.transitions import calling

from ..models import Comment
from ..services import approve_comments, delete_comments, reject_comments

#: How many characters of a comment are shown as its name.
BODY_CHARACTERS = 120


class CommentAction(ListingAction):
    def get_name(self, record: Comment) -> str:
        return f"{record.author_name}: {Truncator(record.body).chars(BODY_CHARACTERS)}"


ACTIONS = (
    Bulk("approve", "Approve", "approved", "They will be published immediately.", calling(approve_comments, "comments")),
    Bulk(
        "mark_as_spam",
        "Mark as spam",
        "marked as spam",
        "Spam is hidden and deleted after 30 days.",
        calling(reject_comments, "comments"),
        phrase="Mark {} as spam",
    ),
    Bulk(
        "delete",
        "Delete",
        "deleted",
        "This cannot be undone.",
        calling(delete_comments, "comments"),
        permission="delete",
        serious=True,
    ),
)
