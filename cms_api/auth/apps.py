from django.apps import AppConfig


class AuthConfig(AppConfig):
    name = "cms_api.auth"
    # "auth" is Django's own.
    label = "tokens"
    verbose_name = "API tokens"
