"""The admin of webhooks, for superusers only and while webhooks are on: subscriptions, their log, tests and secrets.

Loaded with Wagtail's hooks, so that the audit log knows the actions below even when a command writes them.
"""

from typing import Any

from wagtail import hooks
from wagtail.log_actions import LogFormatter

from .viewset import WebhookViewSet

WEBHOOKS = WebhookViewSet("webhooks")


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("webhooks.enable", "Enable webhook", "Enabled")
    actions.register_action("webhooks.rotate", "Rotate the secret of a webhook", "Secret rotated")
    actions.register_action("webhooks.disable")(Disabling)


class Disabling(LogFormatter):
    """Adds the reason."""

    label = "Disable webhook"

    def format_message(self, log_entry: Any) -> str:
        reason = (log_entry.data or {}).get("reason")
        return f"Disabled: {reason}" if reason else "Disabled"
