"""Template tags of the theme: colours, logo and menus."""

from typing import Any

from django import template

from cms_api.content.models import ContentType
from cms_api.content.resources.linked_data import site_name
from cms_api.core.module import HeaderLink, PageScript
from home.views.drawings import icon_address
from home.views.theme import Entry, ShownTheme, current_theme, declared_links, folds_below, header_links, menu, page_scripts

register = template.Library()


@register.simple_tag
def site_theme() -> ShownTheme:
    return current_theme()


@register.simple_tag
def shown_name() -> str:
    """Return the name of the site; in a preview of the theme, the one in its form."""
    return current_theme().name or site_name()


@register.simple_tag
def default_icon() -> str:
    return icon_address()


@register.simple_tag(takes_context=True)
def header_menu(context: template.Context) -> list[Entry]:
    """Return the main menu; the entry of the current page or of its ancestor is marked."""
    return menu(current_theme().header, **_place(context))


@register.simple_tag
def header_extras() -> list[HeaderLink]:
    """Return the links of modules that come after the main menu."""
    return header_links()


@register.simple_tag(takes_context=True)
def module_scripts(context: template.Context) -> list[PageScript]:
    """Return the scripts of modules that every page has."""
    return page_scripts(context.get("request"))


@register.simple_tag(takes_context=True)
def site_footer(context: template.Context) -> dict[str, Any]:
    """Return the `entries` of the footer's menu, and the `feeds`. Modules' pages come last, unless the menu has them already."""
    theme, place, links = current_theme(), _place(context), declared_links()
    entries = menu(theme.header if theme.footer is None else theme.footer, **place)
    known = {entry.url.rstrip("/") for entry in entries}
    pages = [Entry(link.label, link.url) for link in links if not link.is_feed and link.url not in known]
    return {"entries": [*entries, *menu(pages, path=place["path"])], "feeds": [link for link in links if link.is_feed]}


@register.simple_tag
def header_fold(entries: list[Entry], has_accounts: bool, name: str, theme: ShownTheme, extras: list[HeaderLink]) -> int:
    """Return the width of window, in rem, below which the header folds; 0 if it never does. A logo counts as six letters."""
    labels = [*(entry.label for entry in entries), *(link.label for link in extras), *(["My account"] if has_accounts else [])]
    shown = name if theme.show_name or not theme.logo else ""
    return folds_below(labels, name=shown + ("M" * 6 if theme.logo else ""), letters=theme.pair.width)


def _place(context: template.Context) -> dict[str, Any]:
    """Return the position of the current page."""
    request, item_type = context.get("request"), context.get("type")
    slug = item_type.slug if isinstance(item_type, ContentType) else ""
    return {"path": request.path if request else "", "type_slug": slug}
