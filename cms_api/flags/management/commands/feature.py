"""`manage.py feature list|on|off NAME...`"""

from argparse import ArgumentParser
from itertools import chain
from typing import Any

from django.core.management.base import CommandError

from cms_api.core import registry
from cms_api.core.commands import SiteCommand
from cms_api.core.vocabulary import FEATURES
from cms_api.flags import selectors, services


class Command(SiteCommand):
    help = "Lists the features, or switches some on or off (`all` names every one)."
    # Checking everything takes longer than the command; a server that starts checks.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["list", "on", "off"])
        parser.add_argument("names", nargs="*", metavar="NAME")

    def handle(self, *, action: str, names: list[str], **options: Any) -> None:
        if action == "list":
            return self._list()
        chosen = list(FEATURES) if "all" in names else names
        if not chosen:
            raise CommandError(f"Name the features to switch {action}, or `all`.")
        unknown = sorted(set(chosen) - set(FEATURES))
        if unknown:
            raise CommandError(f"Unknown feature: {', '.join(unknown)}. There are: {', '.join(FEATURES)}.")
        # A feature that another one requires is switched with it, and may also be named.
        switched = (services.switch_feature(name=name, on=action == "on") for name in chosen)
        for name in dict.fromkeys(chain.from_iterable(switched)):
            self.stdout.write(f"{name}: {action}")

    def _list(self) -> None:
        installed = registry.features()
        for name, on in selectors.features().items():
            note = "" if name in installed else "  (no installed module uses it)"
            self.stdout.write(f"{name:<12} {'on' if on else 'off'}{note}")
