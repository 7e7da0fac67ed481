"""RSVPs and the preview of dates in the admin."""

from cms_api.adminkit.history import register_log_actions
from cms_api.content.admin.menu import TypeMenuItem

from ..selectors.rsvps import TYPE
from .dates import places_message
from .rsvps import RsvpViewSet

RSVPS = RsvpViewSet()
EVENTS_ITEM = TypeMenuItem(TYPE)

register_log_actions(
    {
        "events.call_off": ("Cancel RSVP", "Cancelled"),
        "events.reinstate": ("Reinstate RSVP", "Reinstated"),
        "events.skip_date": ("Skip date", lambda data: f"Skipped the date {data['start']}"),
        "events.cancel_date": ("Cancel date", lambda data: f"Cancelled the date {data['start']}"),
        "events.restore_date": ("Restore date", lambda data: f"Restored the date {data['start']}"),
        "events.set_capacity": ("Set places", places_message),
    }
)

__all__ = ["EVENTS_ITEM", "RSVPS"]
