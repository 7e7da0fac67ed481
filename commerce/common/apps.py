from django.apps import AppConfig


class CommonConfig(AppConfig):
    name = "commerce.common"
    label = "common"
    verbose_name = "Taxes"
