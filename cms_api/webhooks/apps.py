from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "cms_api.webhooks"
    label = "webhooks"
    verbose_name = "Webhooks"
