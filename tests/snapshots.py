"""Snapshots of the database, which are restored after tests that commit.

Django would empty every table after such a test, and load the initial records from JSON before the next one. A snapshot is
a copy of every row, in a schema of the same database or, with SQLite, in a second file, and is copied back in one
transaction. Only the tables whose rows have changed are written: that takes a fifth of the time on SQLite, whose second file is
seldom opened, and leaves PostgreSQL fewer dead rows. There rows are deleted, because truncating writes new files.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext
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
    #: Every table with its columns, and the rows of those that had any.
    tables: dict[str, str]
    rows: dict[str, list[tuple[Any, ...]]]

    def restore(self) -> None:
        """Replace the rows of all tables by these.

        References are checked at the end of the transaction, so that the order of the tables does not matter. Signals are not
        sent, so Wagtail's cache of the addresses of sites is cleared here.
        """
        Site.clear_site_root_paths_cache()
        versions.forget()
        with connection.cursor() as cursor:
            kept = {table for table, rows in self.rows.items() if _rows(cursor, table, self.tables[table]) == rows}
            changed = (_filled(cursor, self.tables) | self.rows.keys()) - kept
            statements = self._statements(changed)
            needs_file = connection.vendor == "sqlite" and not changed.isdisjoint(self.rows)
            with self._attached(cursor) if needs_file else nullcontext(), transaction.atomic():
                for statement in statements if connection.vendor == "sqlite" else filter(None, ["; ".join(statements)]):
                    cursor.execute(statement)

    @contextmanager
    def _attached(self, cursor: Any) -> Iterator[None]:
        """Open the second file of SQLite."""
        cursor.execute(f"ATTACH DATABASE %s AS {self.name}", [str(_file(self.name))])
        try:
            yield
        finally:
            cursor.execute(f"DETACH DATABASE {self.name}")

    def _statements(self, changed: Collection[str]) -> list[str]:
        """The statements that empty tables, and fill those that had rows."""
        empty = [f'DELETE FROM "{table}"' for table in changed]
        filled = [(f'"{table}"', self.tables[table]) for table in changed if table in self.rows]
        return empty + [f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {self.name}.{table}" for table, columns in filled]


def take(name: str) -> Snapshot:
    """Copy all rows to a schema or a file of this name."""
    tables = _tables()
    with connection.cursor() as cursor:
        filled = _filled(cursor, tables)
        rows = {table: _rows(cursor, table, tables[table]) for table in tables if table in filled}
        if connection.vendor == "postgresql":
            cursor.execute(f"CREATE SCHEMA {name}")
            for table in filled:
                cursor.execute(f'CREATE TABLE {name}."{table}" AS TABLE public."{table}"')
        else:
            cursor.execute("VACUUM INTO %s", [str(_file(name))])
    return Snapshot(name, tables, rows)


def restore_after_each_test(snapshot: Snapshot) -> None:
    """Restore the snapshot after every test that commits."""

    def after_a_test(case: TransactionTestCase) -> None:
        snapshot.restore()

    TransactionTestCase._fixture_teardown = after_a_test  # type: ignore[attr-defined]


def _filled(cursor: Any, tables: Collection[str]) -> set[str]:
    """The tables that have rows. SQLite takes 500 parts in a statement."""
    found, names = set[str](), list(tables)
    for first in range(0, len(names), 400):
        parts = (f"SELECT '{each}' WHERE EXISTS (SELECT 1 FROM \"{each}\")" for each in names[first : first + 400])
        cursor.execute(" UNION ALL ".join(parts))
        found |= {table for (table,) in cursor.fetchall()}
    return found


def _rows(cursor: Any, table: str, columns: str) -> list[tuple[Any, ...]]:
    cursor.execute(f'SELECT {columns} FROM "{table}"')
    return list(cursor.fetchall())


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
