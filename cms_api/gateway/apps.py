from django.apps import AppConfig


class GatewayConfig(AppConfig):
    name = "cms_api.gateway"
    label = "gateway"
    verbose_name = "API gateway"

    def ready(self) -> None:
        from cms_api.gateway import checks  # noqa: F401 - registers the system checks
