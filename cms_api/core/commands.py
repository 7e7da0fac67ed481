"""The base of commands that work with the records of the site, and the mark of a database into which a restore is under way."""

from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection

#: A table that a database has while a restore into it is not finished.
UNFINISHED = "unfinished_restore"
INTERRUPTED = (
    "A restore into this database is running, or was interrupted. In that case, run `manage.py restore` again, or use a new "
    "database."
)

_IS_THERE = {
    "postgresql": "SELECT to_regclass(%s)",
    "sqlite": "SELECT max(name) FROM sqlite_master WHERE type = 'table' AND name = %s",
}


class SiteCommand(BaseCommand):
    """A command that refuses to work with what a restore has loaded before it is finished: the next one drops it all."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        refuse_unfinished()
        return super().execute(*args, **options)


def is_unfinished() -> bool:
    """Return whether a restore into this database is not finished, or was interrupted (one statement)."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_THERE[connection.vendor], [UNFINISHED])
        return cursor.fetchone()[0] is not None


def refuse_unfinished() -> None:
    """Raise CommandError if a restore into the database is not finished. While that is away, nothing is known of it."""
    with suppress(OperationalError):
        if is_unfinished():
            raise CommandError(INTERRUPTED)
