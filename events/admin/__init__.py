"""Who comes to what, in the admin. Loaded with Wagtail's hooks: so the audit log knows the actions wherever they are written."""

from typing import Any

from wagtail import hooks
from wagtail.admin.viewsets.model import ModelViewSetGroup

from .rsvps import RsvpViewSet


class EventsGroup(ModelViewSetGroup):
    menu_label = "Events"
    menu_icon = "calendar-alt"
    menu_order = 156
    items = (RsvpViewSet,)


EVENTS = EventsGroup()


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("events.call_off", "Call off RSVP", "Called off")
    actions.register_action("events.reinstate", "Reinstate RSVP", "Reinstated")


__all__ = ["EVENTS"]
