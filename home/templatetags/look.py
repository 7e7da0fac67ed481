"""Template tags of the theme: colours, logo and menus."""

from typing import Any

from django import template

from cms_api.content.models import ContentType
from home.views.look import Entry, Look, current_look, menu

register = template.Library()


@register.simple_tag
def site_look() -> Look:
    return current_look()


@register.simple_tag(takes_context=True)
def header_menu(context: template.Context) -> list[Entry]:
    """Return the main menu; the entry of the current page or of its ancestor is marked."""
    return menu(current_look().header, **_place(context))


@register.simple_tag(takes_context=True)
def footer_menu(context: template.Context) -> list[Entry]:
    look = current_look()
    return menu(look.header if look.footer is None else look.footer, **_place(context))


def _place(context: template.Context) -> dict[str, Any]:
    """Return the position of the current page."""
    request, item_type = context.get("request"), context.get("type")
    slug = item_type.slug if isinstance(item_type, ContentType) else ""
    return {"path": request.path if request else "", "type_slug": slug}
