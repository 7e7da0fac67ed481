"""Members and plans in the admin.

Loaded with Wagtail's hooks: so the audit log knows the actions below wherever they are written.
"""

from typing import Any

from wagtail import hooks
from wagtail.admin.viewsets.model import ModelViewSetGroup
from wagtail.log_actions import LogFormatter

from .members import MemberViewSet
from .plans import PlanViewSet


class MembersGroup(ModelViewSetGroup):
    menu_label = "Members"
    menu_icon = "group"
    menu_order = 170
    items = (MemberViewSet, PlanViewSet)


MEMBERS = MembersGroup()


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("members.join", "Become a member", "Became a member")
    actions.register_action("members.cancel", "Cancel membership", "Cancelled")
    actions.register_action("members.rejoin", "Reinstate membership", "Became a member again")

    @actions.register_action("members.change_plan")
    class ChangePlan(LogFormatter):
        label = "Change plan"

        def format_message(self, entry: Any) -> str:
            plan = entry.data.get("plan")
            return f"Changed to the plan {plan}" if plan else "Gave up the plan"


__all__ = ["MEMBERS"]
