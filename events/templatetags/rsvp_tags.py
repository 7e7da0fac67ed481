"""Template tags for RSVPs."""

from typing import Any

from django import template

from cms_api.content.models import ContentItem
from events.views.rsvps import present_panel

register = template.Library()


@register.inclusion_tag("events/rsvp_panel.html", takes_context=True)
def rsvp_panel(context: template.Context, item: ContentItem) -> dict[str, Any]:
    """Render the RSVP form; nothing if the event does not accept RSVPs."""
    return present_panel(item, context.get("request"), context.get("rsvp_attempt"))
