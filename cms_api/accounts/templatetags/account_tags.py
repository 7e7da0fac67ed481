"""What the frame of every page says of accounts."""

from django import template

from cms_api.accounts import selectors
from cms_api.flags.selectors import VERSION
from cms_api.http import page_cache

register = template.Library()


@register.simple_tag
def accounts_available() -> bool:
    """Whether there are accounts; kept pages end when that may have changed."""
    page_cache.depends_on(VERSION)
    return selectors.are_available()
