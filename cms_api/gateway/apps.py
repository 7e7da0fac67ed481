from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, register

from cms_api.core.first_write import before_first_write


class GatewayConfig(AppConfig):
    name = "cms_api.gateway"
    label = "gateway"
    verbose_name = "API gateway"

    def ready(self) -> None:
        register(check_modules, "modules")
        register(check_address, "mail")
        before_first_write(load_writing)


def load_writing() -> None:
    """Load what services need; only a process that writes imports it."""
    from . import loading

    loading.load_writing()


# Only commands that check import the checks, and with them whatever the declarations name.


def check_modules(**_: Any) -> list[CheckMessage]:
    from . import checks

    return checks.check_modules()


def check_address(**_: Any) -> list[CheckMessage]:
    from . import checks

    return checks.check_address()
