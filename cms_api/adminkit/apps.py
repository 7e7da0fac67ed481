from django.apps import AppConfig


class AdminKitConfig(AppConfig):
    """No tables; installed for its static files, and for choosers without inline scripts."""

    name = "cms_api.adminkit"
    label = "adminkit"

    def ready(self) -> None:
        from wagtail.admin.widgets import BaseChooser

        from .widget_scripts import render_chooser

        BaseChooser.render = render_chooser
