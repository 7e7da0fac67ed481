"""The template tag for forms that are carried out once."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..once import ONCE, new_key

register = template.Library()


@register.simple_tag
def once_input() -> SafeString:
    """Return the hidden input with a key for one form."""
    return format_html('<input type="hidden" name="{}" value="{}">', ONCE, new_key())
