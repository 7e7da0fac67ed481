from django.apps import AppConfig


class SupportConfig(AppConfig):
    name = "commerce.support"
    label = "support"
    verbose_name = "Support"
