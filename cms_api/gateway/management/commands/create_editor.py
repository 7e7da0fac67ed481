"""`manage.py create_editor EMAIL --role admin|manager|editor --password P`"""

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email

from cms_api.core.commands import SiteCommand
from cms_api.gateway.roles import ROLES, create_editor, create_roles


class Command(SiteCommand):
    help = "Creates a user who may sign in to the admin, and prints the user's id."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--role", choices=ROLES, required=True)
        parser.add_argument("--password", required=True)

    def handle(self, *, email: str, role: str, password: str, **options: Any) -> None:
        try:
            validate_email(email)
        except ValidationError as problem:
            raise CommandError(f"{email!r} is not an e-mail address.") from problem
        create_roles()
        self.stdout.write(str(create_editor(email=email, role=role, password=password).pk))
