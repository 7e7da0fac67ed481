from django.apps import AppConfig


class AdminKitConfig(AppConfig):
    """No tables; installed for its style sheet."""

    name = "cms_api.adminkit"
    label = "adminkit"
