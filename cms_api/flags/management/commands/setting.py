"""`manage.py setting get|set KEY [JSON]`"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from cms_api.core import registry
from cms_api.core.commands import SiteCommand
from cms_api.core.errors import Invalid
from cms_api.core.vocabulary import FEATURES
from cms_api.flags import selectors, services


class Command(SiteCommand):
    help = "Prints a setting as JSON, or sets it to a JSON value."
    # Checking everything takes longer than the command; a server that starts checks.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["get", "set"])
        parser.add_argument("key")
        parser.add_argument("value", nargs="?", help="JSON; plain text is taken as a string")

    def handle(self, *, action: str, key: str, value: str | None, **options: Any) -> None:
        if action == "get":
            features = {selectors.feature_key(name): name for name in FEATURES}
            if key in features:
                self.stdout.write(json.dumps(selectors.is_on(features[key])))
            elif registry.setting_key(key) is None:
                raise CommandError(f"There is no setting {key!r}.")
            else:
                self.stdout.write(json.dumps(selectors.get_setting(key)))
            return
        if value is None:
            raise CommandError("Give the value to set, as JSON.")
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = value
        try:
            services.set_setting(key=key, value=parsed)
        except Invalid as refusal:
            raise CommandError(refusal.message) from refusal
