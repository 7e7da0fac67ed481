"""Comments in the admin."""

from cms_api.adminkit.history import register_log_actions

from .viewset import CommentViewSet

COMMENTS = CommentViewSet()

register_log_actions(
    {
        "comments.approve": ("Approve comment", "Approved"),
        "comments.mark_as_spam": ("Mark comment as spam", "Marked as spam"),
    }
)
