"""Replies in the templates of events."""

from typing import Any

from django import template

from cms_api.content.models import ContentItem
from events.views.rsvps import present_panel

register = template.Library()


@register.inclusion_tag("events/rsvp_panel.html", takes_context=True)
def rsvp_panel(context: template.Context, item: ContentItem) -> dict[str, Any]:
    """The form with which visitors say that they come; nothing where an event takes no replies."""
    return present_panel(item, context.get("request"), context.get("rsvp_attempt"))
