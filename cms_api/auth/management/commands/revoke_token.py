"""`manage.py revoke_token ID|NAME`"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from cms_api.auth.models import ApiToken
from cms_api.auth.services.tokens import revoke_token
from cms_api.core.commands import SiteCommand
from cms_api.core.identifiers import read_id


class Command(SiteCommand):
    help = "Revokes the token with an id, or all tokens with a name."
    # Checking everything takes longer than the command; a server that starts checks.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("token", metavar="ID|NAME")

    def handle(self, *, token: str, **options: Any) -> None:
        named = ApiToken.objects.filter(name=token)
        if not named.exists() and (pk := read_id(token)):
            named = ApiToken.objects.filter(pk=pk)
        if not named.exists():
            raise CommandError(f"There is no token {token!r}.")
        for found in named:
            if revoke_token(token=found):
                self.stdout.write(f"Revoked {found.name} (…{found.last_four}).")
