"""`manage.py migrate`: Django's command, made faster, and on PostgreSQL safe while the site is served and other hosts migrate."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations import Migration
from django.db.migrations.recorder import MigrationRecorder
from psycopg.errors import LockNotAvailable

from cms_api.core.first_write import skip_preparing
from cms_api.core.former_migrations import find_former
from cms_api.core.migrating import Executor

#: Milliseconds that a statement of a migration waits for a lock. Meanwhile, reads and writes of that table wait behind it.
LOCK_TIMEOUT_MS = 2000
#: Attempts, and seconds between them, in which the site goes on.
ATTEMPTS = 60
PAUSE_SECONDS = 5.0
#: The advisory lock of the process that migrates.
MIGRATION_LOCK_ID = 7_261_940_318

# Django's command has no option for it.
migrate.MigrationExecutor = Executor  # type: ignore[attr-defined]


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if find_former(MigrationRecorder(connections[options["database"]]).applied_migrations()):
            raise CommandError("This database is from before 0.9.0. Take it over with `manage.py adopt_database` first.")
        with skip_preparing():
            self._migrate(*args, **options)

    def _migrate(self, *args: Any, **options: Any) -> None:
        self._connection = connections[options["database"]]
        if self._connection.vendor != "postgresql":
            super().handle(*args, **options)
            return
        with _alone(self._connection):
            for attempt in range(ATTEMPTS):
                if attempt:
                    self.stderr.write("A table is in use; the migration is tried again.")
                    time.sleep(PAUSE_SECONDS)
                try:
                    super().handle(*args, **options)
                    return
                except OperationalError as problem:
                    if not isinstance(problem.__cause__, LockNotAvailable):
                        raise
                finally:
                    self._limit_waiting(0)
        raise CommandError("A table was in use all the time, perhaps by a backup. Nothing is broken: run migrate again later.")

    def migration_progress_callback(self, action: str, migration: Migration | None = None, fake: bool = False) -> None:
        super().migration_progress_callback(action, migration, fake)
        if action in ("apply_start", "unapply_start") and migration is not None:
            # A migration that is not atomic makes indexes concurrently, which blocks nobody and cannot be repeated when it fails.
            self._limit_waiting(LOCK_TIMEOUT_MS if migration.atomic else 0)

    def _limit_waiting(self, milliseconds: int) -> None:
        if self._connection.vendor == "postgresql":
            with self._connection.cursor() as cursor:
                cursor.execute(f"SET lock_timeout = {milliseconds}")


@contextmanager
def _alone(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Wait while another process migrates this database.

    The lock is asked for again and again: an index could not be made concurrently while another process waits for a lock.
    """
    with connection.cursor() as cursor:
        while not _ask(cursor, "SELECT pg_try_advisory_lock(%s)"):
            time.sleep(0.5)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            _ask(cursor, "SELECT pg_advisory_unlock(%s)")


def _ask(cursor: Any, statement: str) -> bool:
    cursor.execute(statement, [MIGRATION_LOCK_ID])
    return bool(cursor.fetchone()[0])
