"""`manage.py deliver_due`: the webhook deliveries that are due now, once."""

from typing import Any

from django.core.management.base import BaseCommand

from cms_api.webhooks.services.deliveries import deliver_due


class Command(BaseCommand):
    help = "Sends the webhook deliveries that are due now, once, and exits."

    def handle(self, **options: Any) -> None:
        self.stdout.write(f"{deliver_due()} attempts made.")
