"""Comments in the admin."""

from typing import Any

from django.http import HttpRequest
from wagtail import hooks

from cms_api.adminkit.history import register_log_actions

from .panels import WaitingPanel
from .viewset import CommentViewSet

COMMENTS = CommentViewSet()


register_log_actions(
    {
        "comments.approve": ("Approve comment", "Approved"),
        "comments.mark_as_spam": ("Mark comment as spam", "Marked as spam"),
    }
)


@hooks.register("construct_homepage_panels")
def tell_of_waiting(request: HttpRequest, panels: list[Any]) -> None:
    panels.append(WaitingPanel())


__all__ = ["COMMENTS"]
