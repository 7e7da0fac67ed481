"""`manage.py backup FILE`: copy the database and all files of the site into one file."""

import sqlite3
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.template.defaultfilters import filesizeformat

from cms_api.gateway.backup.create import create_backup
from cms_api.gateway.backup.types import BackupError, some


class Command(BaseCommand):
    help = "Copies the database and all files of the site, while it is in use, into one new file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            made = create_backup(file.absolute())
        except (BackupError, OSError, DatabaseError, sqlite3.Error) as problem:
            raise CommandError(f"No backup was made. {problem}") from problem
        if made.problems:
            self.stderr.write(f"Files that records refer to are missing, or differ from their record: {some(made.problems, 20)}.")
        size = filesizeformat(made.size).replace("\xa0", " ")
        self.stdout.write(f"{made.path}: the database and {made.files} files, {size}.")
