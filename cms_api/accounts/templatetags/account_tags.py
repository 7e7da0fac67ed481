"""Template tags for the account links in the page layout."""

from django import template

from cms_api.accounts import selectors
from cms_api.flags.selectors import VERSION
from cms_api.http import page_cache

register = template.Library()


@register.simple_tag
def accounts_available() -> bool:
    """Return whether accounts are available; cached pages are invalidated when that may have changed."""
    page_cache.depends_on(VERSION)
    return selectors.are_available()
