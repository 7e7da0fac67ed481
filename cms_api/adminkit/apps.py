import re

from django.apps import AppConfig


class AdminKitConfig(AppConfig):
    """No tables; installed for its static files, and for choosers without inline scripts."""

    name = "cms_api.adminkit"
    label = "adminkit"

    def ready(self) -> None:
        from django.db.models import DateField, DateTimeField
        from django.forms import IntegerField
        from wagtail.admin.forms.models import register_form_field_override
        from wagtail.admin.views.mixins import SpreadsheetExportMixin
        from wagtail.admin.widgets import AdminDateInput, AdminDateTimeInput, BaseChooser

        from .forms import SiteDateField, TypedDateTimeField
        from .reports import CELLS
        from .widget_scripts import render_chooser

        BaseChooser.render = render_chooser
        SpreadsheetExportMixin.custom_value_preprocess = {**SpreadsheetExportMixin.custom_value_preprocess, **CELLS}
        register_form_field_override(DateField, override={"widget": AdminDateInput, "form_class": SiteDateField})
        moment = {"widget": AdminDateTimeInput, "form_class": TypedDateTimeField}
        register_form_field_override(DateTimeField, override=moment)
        # Django takes "1.000" for 1, and in many countries it is a thousand: of whole numbers, nothing is cut off.
        IntegerField.re_decimal = re.compile(r"(?!)")
