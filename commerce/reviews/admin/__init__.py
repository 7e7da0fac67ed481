"""Reviews in the admin."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .invitations import InvitationViewSet
from .reviews import ReviewViewSet


class ReviewsGroup(ModelViewSetGroup):
    menu_label = "Reviews"
    menu_icon = "pick"
    items = (ReviewViewSet, InvitationViewSet)


REVIEWS = ReviewsGroup()

register_log_actions(
    {
        "reviews.approve": ("Approve", "Published"),
        "reviews.hide": ("Hide", lambda data: f"Hidden: {data['reason']}"),
        "reviews.reply": ("Reply", "The reply was changed"),
        "reviews.remove_reply": ("Remove reply", "The reply was removed"),
        "reviews.removed": ("Removed", "Removed at its provider"),
        "reviews.skip_invitation": ("Don't send", "The invitation won't be sent"),
    }
)
