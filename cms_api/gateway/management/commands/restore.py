"""`manage.py restore FILE`: restore a backup into an empty site."""

import sqlite3
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from cms_api.gateway.backup.restore import restore_backup
from cms_api.gateway.backup.types import BackupError, some


class Command(BaseCommand):
    help = "Restores a backup into an empty site that is not being served, and migrates it if the backup is of an older version."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--send-queued",
            action="store_true",
            help="send the emails and webhook deliveries that were waiting when the backup was made: to move a site",
        )

    def handle(self, *, file: Path, send_queued: bool, **options: Any) -> None:
        try:
            restored = restore_backup(file.absolute(), send_queued=send_queued)
        except (BackupError, OSError, DatabaseError, sqlite3.Error) as problem:
            raise CommandError(f"The restore failed. {problem}") from problem
        if restored.missing:
            self.stderr.write(f"Files were missing or changed when the backup was made: {some(restored.missing, 20)}.")
        for name, count in restored.stopped.items():
            self.stdout.write(f"{name.capitalize()} that were waiting, and are not sent: {count}. Their log lists them.")
        self.stdout.write(f"Restored the backup of {restored.manifest.made_at}: the database and {restored.files} files.")
