from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "cms_api.accounts"
    label = "accounts"
    verbose_name = "Site accounts"
