from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, register


class PaymentsConfig(AppConfig):
    name = "commerce.payments"
    label = "payments"
    verbose_name = "Payments"

    def ready(self) -> None:
        register(check_payables)


def check_payables(**_: Any) -> list[CheckMessage]:
    # Here, because it loads the providers, which most commands do without.
    from .services.checks import check_payables

    return check_payables()
