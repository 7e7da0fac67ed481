from django.apps import AppConfig


class FlagsConfig(AppConfig):
    name = "cms_api.flags"
    label = "flags"
    verbose_name = "Features and settings"
