"""Starts Wagtail's widgets without inline scripts, which the Content-Security-Policy blocks.

Where Wagtail writes a `<script>` that calls a function, these pages have an element that names the function and its arguments;
`static/adminkit/widget-start.js` calls it when the element appears.
"""

import json
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from wagtail.admin.widgets import BaseChooser
from wagtail.admin.widgets.workflows import AdminTaskChooser


def start(function: str, *arguments: Any) -> SafeString:
    """Return the element that calls a function of the admin's scripts."""
    return format_html(
        '<template data-controller="widget-start" data-widget-start-function-value="{}" data-widget-start-arguments-value="{}">'
        "</template>",
        function,
        json.dumps(arguments),
    )


def render_chooser(
    self: BaseChooser, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
) -> SafeString:
    """Render a chooser as `BaseChooser.render` does, but for its script."""
    element_id = (attrs or {})["id"]
    data = self.get_value_data(value)
    if isinstance(self, AdminTaskChooser):
        started = start("createTaskChooser", element_id)
    else:
        started = start(self.js_constructor, element_id, self.get_js_init_options(element_id, name, data))
    return format_html("{}{}", self.render_html(name, data, attrs), started)
