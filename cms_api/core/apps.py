from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "cms_api.core"
    label = "core"
    verbose_name = "Core"
