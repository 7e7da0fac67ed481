"""Template tags for comments."""

from typing import Any

from django import template

from cms_api.comments.views import present_thread
from cms_api.content.models import ContentItem

register = template.Library()


@register.inclusion_tag("comments/thread.html", takes_context=True)
def comments_of(context: template.Context, item: ContentItem) -> dict[str, Any]:
    """Return the context of an item's comments; nothing if its type takes none."""
    return present_thread(item, context.get("request"))
