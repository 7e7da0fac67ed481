from importlib import import_module

from django.apps import AppConfig

from cms_api.core.first_write import before_first_write


class SupportConfig(AppConfig):
    name = "commerce.support"
    label = "support"
    verbose_name = "Support"

    def ready(self) -> None:
        # A ticket is written with its mail, whose quotes are cut.
        before_first_write(lambda: import_module("mailparser_reply"))
