"""RSVPs and the preview of dates in the admin."""

from cms_api.adminkit.history import register_log_actions
from cms_api.content.admin.menu import TypeMenuItem

from ..selectors.rsvps import TYPE
from .rsvps import RsvpViewSet

RSVPS = RsvpViewSet()
EVENTS_ITEM = TypeMenuItem(TYPE)

register_log_actions({"events.call_off": ("Cancel RSVP", "Cancelled"), "events.reinstate": ("Reinstate RSVP", "Reinstated")})

__all__ = ["EVENTS_ITEM", "RSVPS"]
