"""RSVPs and the preview of dates in the admin."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .rsvps import RsvpViewSet


class EventsGroup(ModelViewSetGroup):
    menu_label = "Events"
    menu_icon = "calendar-alt"
    menu_order = 156
    items = (RsvpViewSet,)


EVENTS = EventsGroup()

register_log_actions({"events.call_off": ("Cancel RSVP", "Cancelled"), "events.reinstate": ("Reinstate RSVP", "Reinstated")})

__all__ = ["EVENTS"]
