"""`manage.py webhooks listen [--forward-to URL]`"""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from cms_api.core.commands import SiteCommand
from cms_api.flags.selectors import is_on
from cms_api.webhooks.models import Delivery
from cms_api.webhooks.selectors import FEATURE
from cms_api.webhooks.services.listening import listen


class Command(SiteCommand):
    help = "Prints live webhook deliveries, and forwards them to an address of yours, until Ctrl-C. Only with DEBUG."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["listen"])
        parser.add_argument("--forward-to", default="", metavar="URL", help="such as http://localhost:3000/hooks")

    def handle(self, *, forward_to: str, **options: Any) -> None:
        if not settings.DEBUG:
            raise CommandError("This works only with DEBUG=1, because it shows everything that happens on the site.")
        if not is_on(FEATURE):
            raise CommandError("Webhooks are off: switch them on with `manage.py feature on webhooks`.")
        self.stdout.write("Listening. Ctrl-C ends it.")
        try:
            listen(forward_to=forward_to, show=self._show)
        except KeyboardInterrupt:
            self.stdout.write("")

    def _show(self, delivery: Delivery, body: bytes, answer: str) -> None:
        self.stdout.write(f"{delivery.event.kind}  {answer}\n{body.decode()}")
        self.stdout.flush()
