"""`manage.py create_member EMAIL --password P`"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from cms_api.accounts.services import create_member
from cms_api.core.commands import SiteCommand
from cms_api.core.errors import Invalid


class Command(SiteCommand):
    help = "Creates an account that can sign in on the site, or sets the password of an existing one; prints the user's id."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--password", required=True)
        parser.add_argument("--name", default="")

    def handle(self, *, email: str, password: str, name: str, **options: Any) -> None:
        try:
            member = create_member(email=email, password=password, name=name)
        except Invalid as refusal:
            sentences = [f"{field}: {sentence}" for field, found in refusal.errors.items() for sentence in found]
            raise CommandError("\n".join(sentences)) from refusal
        self.stdout.write(str(member.pk))
