"""`manage.py import_reviews PROVIDER FILE [--complete]`"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from cms_api.core.commands import SiteCommand
from cms_api.core.errors import Invalid

from ...services import sync_reviews
from ...types import SYNCED


class Command(SiteCommand):
    help = "Imports the reviews of a provider from a JSON file, such as an answer of its API."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("provider", choices=[str(provider) for provider in SYNCED])
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--complete", action="store_true", help="the file has all reviews: hide those that the provider no longer has"
        )

    def handle(self, *, provider: str, file: Path, complete: bool, **options: Any) -> None:
        try:
            content = file.read_bytes()
        except OSError as problem:
            raise CommandError(f"{file}: {problem.strerror}.") from None
        try:
            synced = sync_reviews(provider=provider, content=content, is_complete=complete)
        except Invalid as refusal:
            raise CommandError("\n".join(refusal.errors.get("file", [refusal.message]))) from None
        for mistake in synced.mistakes:
            self.stderr.write(mistake)
        self.stdout.write(str(synced))
