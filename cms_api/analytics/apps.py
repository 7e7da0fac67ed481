from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Warning, register


class AnalyticsConfig(AppConfig):
    name = "cms_api.analytics"
    label = "analytics"
    verbose_name = "Analytics"

    def ready(self) -> None:
        register(check_files, "analytics")


def check_files(**_: Any) -> list[CheckMessage]:
    """Warn of lists that are named, but are not there: nobody would be left out by them."""
    named = {name: getattr(settings, name) for name in ("ANALYTICS_DATACENTER_FILE", "ANALYTICS_SPAM_FILE")}
    return [
        Warning(f"{name}: there is no file {path!r}.", id="analytics.W001")
        for name, path in named.items()
        if path and not Path(path).is_file()
    ]
