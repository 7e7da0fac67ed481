"""Members and plans in the admin."""

from typing import Any

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .members import MemberViewSet
from .plans import PlanViewSet


class MembersGroup(ModelViewSetGroup):
    menu_label = "Members"
    menu_icon = "group"
    items = (MemberViewSet, PlanViewSet)


MEMBERS = MembersGroup()


def until_of(data: Any) -> str:
    return f" until {data['until']}" if data["until"] else ""


register_log_actions(
    {
        "members.join": ("Become a member", "Became a member"),
        "members.cancel": ("Cancel membership", "Cancelled"),
        "members.rejoin": ("Reinstate membership", "Became a member again"),
        "members.request_plan": ("Ask for a plan", lambda data: f"Asked for the plan {data.get('plan', '')}"),
        "members.decline_plan": ("Decline a plan", lambda data: f"Was not given the plan {data.get('plan', '')}"),
        "members.renew_plan": ("Renew a plan", lambda data: f"Paid for the plan {data['plan']}{until_of(data)}"),
        "members.end_plan": ("End a plan", lambda data: f"The plan {data.get('plan', '')} ended"),
        "members.leave_plan": ("Leave a plan", lambda data: f"Leaves the plan at its end on {data['until']}"),
        "members.keep_plan": ("Keep a plan", "Keeps the plan after all"),
        "members.shorten_plan": ("Shorten a plan", lambda data: f"The plan {data['plan']} is paid until {data['until']} only"),
        "members.restore_plan": ("Give a plan again", lambda data: f"The plan {data['plan']} is paid again, as a refund failed"),
        "members.refund": ("Refund a plan", "Asked to refund a plan"),
        "members.change_plan": (
            "Change plan",
            lambda data: f"Changed the plan to {data['plan']}" if data.get("plan") else "Removed the plan",
        ),
    }
)
