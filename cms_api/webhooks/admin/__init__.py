"""The admin of webhooks, for superusers only: subscriptions with tests and secrets, and the log of deliveries.

Loaded with Wagtail's hooks, so that the audit log knows the actions below even when a command writes them.
"""

from cms_api.adminkit.history import register_log_actions

from .deliveries import DeliveryViewSet
from .webhooks import WebhookViewSet

WEBHOOKS = WebhookViewSet("webhooks")
DELIVERIES = DeliveryViewSet("webhook_deliveries", url_prefix="webhooks/deliveries")

register_log_actions(
    {
        "webhooks.enable": ("Enable webhook", "Enabled"),
        "webhooks.rotate": ("Rotate the secret of a webhook", "Secret rotated"),
        "webhooks.disable": (
            "Disable webhook",
            lambda data: f"Disabled: {data['reason']}" if data.get("reason") else "Disabled",
        ),
    }
)
