"""`manage.py deliver_due`: the webhook deliveries that are due now, once."""

from typing import Any

from cms_api.core.commands import SiteCommand
from cms_api.webhooks.services.deliveries import deliver_due


class Command(SiteCommand):
    help = "Sends the webhook deliveries that are due now, once, and exits."

    def handle(self, **options: Any) -> None:
        self.stdout.write(f"{deliver_due()} attempts made.")
