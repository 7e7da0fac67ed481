"""The admin of webhooks, for superusers only and while webhooks are on: subscriptions, their log, tests and secrets.

The viewset is loaded with Wagtail's hooks: so the audit log knows the actions below wherever they are written, commands included.
"""

from typing import Any

from django.http import HttpRequest
from wagtail import hooks

from .panels import DisabledPanel
from .viewset import WebhookViewSet

WEBHOOKS = WebhookViewSet("webhooks")


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("webhooks.enable", "Enable webhook", "Enabled")
    actions.register_action("webhooks.disable", "Disable webhook", _disabled)
    actions.register_action("webhooks.rotate", "Rotate webhook's secret", "Secret rotated")


def _disabled(data: dict[str, Any]) -> str:
    return f"Disabled: {data['reason']}" if data and data.get("reason") else "Disabled"


@hooks.register("construct_homepage_panels")
def tell_of_disabled(request: HttpRequest, panels: list[Any]) -> None:
    panels.append(DisabledPanel())
