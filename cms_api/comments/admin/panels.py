"""What the admin's home says of comments."""

from typing import Any

from wagtail.admin.ui.components import Component
from wagtail.permissions import policy_registry

from ..models import Comment
from ..selectors import are_taken, visible_comments
from ..types import Status


class WaitingPanel(Component):
    """How many comments wait to be read; nothing where none do, and for whoever may not decide."""

    name = "waiting_comments"
    template_name = "comments_admin/home_panel.html"
    order = 80

    class Media:
        css = {"all": ["comments/admin.css"]}

    def render_html(self, parent_context: Any = None) -> str:
        user = parent_context["request"].user
        if not (are_taken() and policy_registry.get_by_type(Comment).user_has_permission(user, "change")):
            return ""
        return super().render_html(parent_context)

    def get_context_data(self, parent_context: Any = None) -> dict[str, Any]:
        return {"count": visible_comments().filter(status=Status.PENDING).count()}
