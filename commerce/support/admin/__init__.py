"""The help desk in the admin, and the actions that its services log."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse_lazy
from wagtail.admin.menu import MenuItem
from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions
from cms_api.flags.selectors import is_on

from .mails import ReceivedMailViewSet
from .setup import CannedAnswerViewSet, CategoryViewSet, RuleViewSet, SpecialDayViewSet
from .tickets import TicketViewSet


class PageItem(MenuItem):
    """The menu entry of a page, for people with a permission; those of viewsets are gated by themselves."""

    def __init__(self, *args: Any, permission: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.permission = permission

    def is_shown(self, request: HttpRequest) -> bool:
        return is_on("support") and bool(request.user.has_perm(self.permission))


class HelpDeskGroup(ModelViewSetGroup):
    menu_label = "Help desk"
    menu_icon = "help"
    items = (TicketViewSet, ReceivedMailViewSet, CategoryViewSet, CannedAnswerViewSet, RuleViewSet, SpecialDayViewSet)

    def get_submenu_items(self) -> list[MenuItem]:
        times = PageItem(
            "Response times",
            reverse_lazy("support_tickets:response_times"),
            permission="support.view_ticket",
            icon_name="time",
            order=15,
        )
        hours = PageItem(
            "Support hours",
            reverse_lazy("support_special_days:hours"),
            permission="support.change_specialday",
            icon_name="calendar-alt",
            order=60,
        )
        return [*super().get_submenu_items(), times, hours]


HELP_DESK = HelpDeskGroup()

register_log_actions(
    {
        "support.reply": ("Answer", "Answered"),
        "support.note": ("Add note", "Added an internal note"),
        "support.set_status": ("Set status", lambda data: f"Status changed to {data['status']}"),
        "support.assign": ("Assign", lambda data: "Assigned" if data["assignee"] else "Unassigned"),
        "support.tag": ("Tag", "Tags changed"),
        "support.merge": ("Merge", lambda data: f"{data['number']} merged into this ticket"),
        "support.mark_spam": ("Mark as spam", "Marked as spam"),
        "support.release": ("Release", "Released from spam"),
        "support.rate": ("Rate", lambda data: f"Rated {data['rating']} of 5"),
    }
)
