"""`manage.py restore FILE`: restore a backup into an empty site."""

import signal
import sqlite3
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from cms_api.gateway.backup.restore import UNUSED_NUMBERS, restore_backup
from cms_api.gateway.backup.types import BackupError, some
from cms_api.gateway.status import Status

#: Longer numbers would not fit where people type them.
_MAX_GAP = 10_000_000


class Command(BaseCommand):
    help = "Restores a backup into an empty site that is not being served, and migrates it if the backup is of an older version."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--send-queued",
            action="store_true",
            help="send the emails and webhook deliveries that were waiting when the backup was made: to move a site",
        )

        parser.add_argument(
            "--number-gap",
            type=_whole_number,
            default=UNUSED_NUMBERS,
            help="how many numbers of invoices, orders and so on to leave unused, as the lost site may have given them out since "
            "the backup (default: %(default)s; 0 for none)",
        )

    def handle(self, *, file: Path, send_queued: bool, number_gap: int, **options: Any) -> None:
        try:
            with _signals_as_exceptions():
                restored = restore_backup(file.absolute(), send_queued=send_queued, number_gap=number_gap)
        except (BackupError, OSError, DatabaseError, sqlite3.Error) as problem:
            raise CommandError(f"The restore failed. {problem}") from problem
        if restored.missing:
            self.stderr.write(f"Files were missing or changed when the backup was made: {some(restored.missing, 20)}.")
        for name, count in restored.stopped.items():
            self.stdout.write(f"{name.capitalize()} that were waiting, and are not sent: {count}. Their log lists them.")
        if restored.numbers:
            following = ", ".join(f"{series}-{number}" for series, number in sorted(restored.numbers.items()))
            self.stdout.write(f"Numbers that the lost site may have given out are left out. The next ones: {following}.")
        if not send_queued and (paused := Status().paused):
            titles = ", ".join(job.title for job in paused)
            self.stdout.write(
                f"Paused, because of what the lost site may have done since the backup: {titles}. "
                "Compare first, then run `manage.py resume_jobs`, or press Resume on the home of the admin."
            )
        self.stdout.write(f"Restored the backup of {restored.manifest.made_at}: the database and {restored.files} files.")


@contextmanager
def _signals_as_exceptions() -> Iterator[None]:
    """Let the end of a session or a service remove what has been restored, as Ctrl-C does."""
    former = {number: signal.signal(number, _interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _interrupt(*_: Any) -> None:
    sys.exit("The restore was interrupted.")


def _whole_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_GAP)) and int(text) <= _MAX_GAP):
        raise ArgumentTypeError(f"a whole number from 0 to {_MAX_GAP} is needed")
    return int(text)
