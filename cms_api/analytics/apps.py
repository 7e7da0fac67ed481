from django.apps import AppConfig


class AnalyticsConfig(AppConfig):
    name = "cms_api.analytics"
    label = "analytics"
    verbose_name = "Analytics"
