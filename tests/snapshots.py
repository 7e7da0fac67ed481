"""Snapshots of the database, which are restored after tests that commit.

Django would empty every table after such a test, and load the initial records from JSON before the next one. A snapshot is
a copy of every row, in a schema of the same database or, with SQLite, in a second file, and is copied back in one
transaction. On PostgreSQL rows are deleted, because truncating a hundred tables writes several hundred new files.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.test import TransactionTestCase
from wagtail.models import Site

from cms_api.core import versions


@dataclass(frozen=True)
class Snapshot:
    """The rows of every model's table when `take` was called."""

    name: str
    statements: tuple[str, ...]

    def restore(self) -> None:
        """Replace the rows of all tables by these.

        References are checked at the end of the transaction, so that the order of the tables does not matter. Signals are not
        sent, so Wagtail's cache of the addresses of sites is cleared here.
        """
        Site.clear_site_root_paths_cache()
        versions.forget()
        if connection.vendor == "postgresql":
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("; ".join(self.statements))
            return
        with connection.cursor() as cursor:
            cursor.execute(f"ATTACH DATABASE %s AS {self.name}", [str(_file(self.name))])
            try:
                with transaction.atomic():
                    for statement in self.statements:
                        cursor.execute(statement)
            finally:
                cursor.execute(f"DETACH DATABASE {self.name}")


def take(name: str) -> Snapshot:
    """Copy all rows to a schema or a file of this name."""
    tables = _tables()
    with connection.cursor() as cursor:
        filled = [table for table in tables if _has_rows(cursor, table)]
        if connection.vendor == "postgresql":
            cursor.execute(f"CREATE SCHEMA {name}")
            for table in filled:
                cursor.execute(f'CREATE TABLE {name}."{table}" AS TABLE public."{table}"')
        else:
            cursor.execute("VACUUM INTO %s", [str(_file(name))])
    empty = [f'DELETE FROM "{table}"' for table in tables]
    fill = [f'INSERT INTO "{table}" ({tables[table]}) SELECT {tables[table]} FROM {name}."{table}"' for table in filled]
    return Snapshot(name, (*empty, *fill))


def restore_after_each_test(snapshot: Snapshot) -> None:
    """Restore the snapshot after every test that commits."""

    def after_a_test(case: TransactionTestCase) -> None:
        snapshot.restore()

    TransactionTestCase._fixture_teardown = after_a_test  # type: ignore[attr-defined]


def _has_rows(cursor: Any, table: str) -> bool:
    cursor.execute(f'SELECT 1 FROM "{table}" LIMIT 1')
    return cursor.fetchone() is not None


def _file(name: str) -> Path:
    return Path(settings.VAR_DIR) / f"{name}.sqlite3"


def _tables() -> dict[str, str]:
    """Every table of a model, in the order of the models, with its columns; generated columns are left out.

    SQLite's full-text indexes are left out too: triggers fill them.
    """
    found = {}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy and not model._meta.db_table.endswith("_fts"):
            columns = [field.column for field in model._meta.local_concrete_fields if not field.generated]
            found[model._meta.db_table] = ", ".join(f'"{column}"' for column in columns)
    return found
