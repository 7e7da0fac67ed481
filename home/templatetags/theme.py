"""Template tags of the theme: colours, logo and menus."""

from typing import Any

from django import template

from cms_api.content.models import ContentType
from home.views.theme import Entry, ShownTheme, current_theme, menu

register = template.Library()


@register.simple_tag
def site_theme() -> ShownTheme:
    return current_theme()


@register.simple_tag(takes_context=True)
def header_menu(context: template.Context) -> list[Entry]:
    """Return the main menu; the entry of the current page or of its ancestor is marked."""
    return menu(current_theme().header, **_place(context))


@register.simple_tag(takes_context=True)
def footer_menu(context: template.Context) -> list[Entry]:
    theme = current_theme()
    return menu(theme.header if theme.footer is None else theme.footer, **_place(context))


def _place(context: template.Context) -> dict[str, Any]:
    """Return the position of the current page."""
    request, item_type = context.get("request"), context.get("type")
    slug = item_type.slug if isinstance(item_type, ContentType) else ""
    return {"path": request.path if request else "", "type_slug": slug}
