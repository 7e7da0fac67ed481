from django.apps import AppConfig


class AuthConfig(AppConfig):
    name = "cms_api.auth"
    # "auth" is taken by Django.
    label = "tokens"
    verbose_name = "API tokens"
