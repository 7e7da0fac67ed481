"""The script and the styles that every page of the admin loads, and Wagtail's bulk actions as they are here."""

from django.utils.html import format_html
from django.utils.safestring import SafeString
from wagtail import hooks
from wagtail.admin.staticfiles import versioned_static

from . import wagtail_actions

wagtail_actions.replace_actions()


@hooks.register("insert_global_admin_js")
def widget_start() -> SafeString:
    return format_html('<script src="{}"></script>', versioned_static("adminkit/widget-start.js"))


@hooks.register("insert_global_admin_css")
def forms_style() -> SafeString:
    return format_html('<link rel="stylesheet" href="{}">', versioned_static("adminkit/forms.css"))
