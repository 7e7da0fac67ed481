"""`manage.py create_token NAME --ability A ... | --all-abilities | --restriction R [--expires 30d|90d|1y|never]`"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from cms_api.auth.services.tokens import create_token
from cms_api.auth.types import LIFETIMES
from cms_api.core import registry
from cms_api.core.commands import SiteCommand
from cms_api.core.errors import Invalid
from cms_api.core.vocabulary import ABILITIES


class Command(SiteCommand):
    help = "Creates an API token and prints its plaintext, alone, on standard output. It cannot be shown again."
    # Checking everything takes longer than the command; a server that starts checks.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        chosen = parser.add_mutually_exclusive_group(required=True)
        chosen.add_argument("--ability", action="append", dest="abilities", metavar="ABILITY", help=", ".join(ABILITIES))
        chosen.add_argument("--all-abilities", action="store_true")
        names = ", ".join(f"{name} or {name}:ID" for name in registry.restrictions())
        chosen.add_argument("--restriction", default="", metavar="RESTRICTION", help=names)
        parser.add_argument("--expires", choices=list(LIFETIMES), default="never")

    def handle(
        self, *, name: str, abilities: list[str] | None, all_abilities: bool, restriction: str, expires: str, **options: Any
    ) -> None:
        chosen = list(ABILITIES) if all_abilities else abilities or []
        try:
            _, plaintext = create_token(name=name, abilities=chosen, lifetime=expires, restriction=restriction)
        except Invalid as refusal:
            raise CommandError(refusal.message) from refusal
        self.stdout.write(plaintext)
