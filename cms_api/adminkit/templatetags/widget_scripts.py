"""The template tag for templates of Wagtail's that would otherwise have inline scripts."""

import json

from django import template
from django.utils.safestring import SafeString

from ..widget_scripts import start

register = template.Library()


@register.simple_tag
def start_widget(function: str, options_json: str, element_id: str = "") -> SafeString:
    """Call a function of the admin's scripts with the element's id, if it has one, and the options."""
    options = json.loads(options_json)
    return start(function, element_id, options) if element_id else start(function, options)
