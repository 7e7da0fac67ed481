"""The two database engines: how each is copied while it is in use, loaded into an empty site, and emptied."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from django.db import connection

from cms_api.core.commands import UNFINISHED, is_unfinished
from cms_api.core.jobs import live_workers
from cms_api.core.models import WorkerProcess

from .postgresql import PostgreSQL
from .sqlite import SQLite
from .types import Rows

#: Tables whose rows are not backed up: sessions, the cache, live workers, and counters of rate limits.
PASSING = ("django_session", "core_cache", "core_workerprocess", "tokens_budget")

#: Tables, or beginnings of their names, that `migrate`, `setup_site` and a running site fill by themselves.
_SET_UP = (
    *("auth_group", "auth_permission", "content_contenttype", "core_", "django_", "flags_setting", "home_homepage"),
    *("home_row", "home_theme", "tokens_budget", "wagtailcore_", "wagtailsearch_", "sqlite_"),
)


class Database(Protocol):
    engine: str
    #: The name of the copy in the archive.
    member: str

    def check_tools(self) -> None:
        """Raise BackupError if a program is missing that `dump` and `load` need."""

    def live(self) -> AbstractContextManager[Rows]:
        """Read the database as it is now."""

    def dump(self, target: Path, *, without: tuple[str, ...]) -> AbstractContextManager[Rows]:
        """Copy the database to a file, but not the rows of some tables. The given function reads the state that is copied."""

    def claim(self) -> AbstractContextManager[bool]:
        """Yield whether no other restore into this database is running, and keep others away until the block ends."""

    def load(self, source: Path) -> None:
        """Replace the database by a copy that is marked as unfinished. Raises BackupError."""

    def wipe(self) -> None:
        """Remove every table."""

    def skip_ids(self, table: str, count: int) -> None:
        """Leave so many ids of a table unused."""


def database() -> Database:
    return PostgreSQL() if connection.vendor == "postgresql" else SQLite()


def is_new() -> bool:
    """Return whether the database has no tables."""
    return not connection.introspection.table_names()


def has_workers() -> bool:
    """Return whether a worker of the site that has this database is running, or was a minute ago."""
    return WorkerProcess._meta.db_table in connection.introspection.table_names() and bool(live_workers())


def begin() -> bool:
    """Mark the database, and return False if it was marked: commands refuse to work with it, and workers take nothing from it."""
    if is_unfinished():
        return False
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {UNFINISHED} (id integer)")
    return True


def finish() -> None:
    """Take the mark of an unfinished restore from the database."""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {UNFINISHED}")


def filled_tables() -> list[str]:
    """Return the tables with rows that only people and integrations write: a site is empty if there are none.

    The rows that an interrupted restore has loaded are not counted.
    """
    if is_unfinished():
        return []
    with connection.cursor() as cursor:
        tables = [name for name in sorted(connection.introspection.table_names(cursor)) if not name.startswith(_SET_UP)]
        found = []
        for table in tables:
            cursor.execute(f'SELECT 1 FROM "{table}" LIMIT 1')
            if cursor.fetchone():
                found.append(table)
    return found
