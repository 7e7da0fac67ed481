from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, register


class GatewayConfig(AppConfig):
    name = "cms_api.gateway"
    label = "gateway"
    verbose_name = "API gateway"

    def ready(self) -> None:
        register(check_modules, "modules")
        register(check_address, "mail")


# Only commands that check import the checks, and with them whatever the declarations name.


def check_modules(**_: Any) -> list[CheckMessage]:
    from . import checks

    return checks.check_modules()


def check_address(**_: Any) -> list[CheckMessage]:
    from . import checks

    return checks.check_address()
