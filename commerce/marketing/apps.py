from django.apps import AppConfig


class MarketingConfig(AppConfig):
    name = "commerce.marketing"
    label = "marketing"
    verbose_name = "Marketing"
