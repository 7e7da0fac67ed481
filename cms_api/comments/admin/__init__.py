"""Comments in the admin: those that wait first, decided one by one or many at once.

Loaded with Wagtail's hooks: so the audit log knows the actions below wherever they are written.
"""

from typing import Any

from django.http import HttpRequest
from wagtail import hooks

from . import bulk  # noqa: F401  (registered as it is imported)
from .panels import WaitingPanel
from .viewset import CommentViewSet

COMMENTS = CommentViewSet()


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("comments.approve", "Approve comment", "Approved")
    actions.register_action("comments.mark_as_spam", "Mark comment as spam", "Marked as spam")


@hooks.register("construct_homepage_panels")
def tell_of_waiting(request: HttpRequest, panels: list[Any]) -> None:
    panels.append(WaitingPanel())


__all__ = ["COMMENTS"]
