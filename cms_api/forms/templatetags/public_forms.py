"""Forms in the templates of rows."""

from typing import Any

from django import template

from cms_api.forms.models import Form
from cms_api.forms.views import ShownForm, present_form

register = template.Library()


@register.simple_tag(takes_context=True)
def shown_form(context: template.Context, form: Form, anchor: str = "") -> ShownForm | None:
    """Return a form as this page shows it; None without a request, as in a feed."""
    request: Any = context.get("request")
    return present_form(form, request, anchor=anchor) if request is not None else None
