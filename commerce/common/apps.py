from importlib import import_module

from django.apps import AppConfig

from cms_api.core.first_write import before_first_write


class CommonConfig(AppConfig):
    name = "commerce.common"
    label = "common"
    verbose_name = "Taxes"

    def ready(self) -> None:
        # Opening hours are checked while a booking is written.
        before_first_write(lambda: import_module("holidays"))
