"""The database as the migrations left it, which a test that commits is followed by.

Django would empty every table after such a test and put the first records back before the next one, by way of JSON and of
each model's `save`. Here every row that migrations had made lies beside the tables, in a schema of the same database or, with
SQLite, in a second file, and is copied back in one transaction. On PostgreSQL rows are deleted: to truncate a hundred
tables makes it write several hundred new files.
"""

from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.test import TransactionTestCase
from wagtail.models import Site

KEPT = "as_migrated"


def keep() -> None:
    """Remembers the rows there are, and has every test that commits followed by `put_back`."""
    tables = _tables()
    with connection.cursor() as cursor:
        filled = [table for table in tables if _has_rows(cursor, table)]
        if connection.vendor == "postgresql":
            cursor.execute(f"CREATE SCHEMA {KEPT}")
            for table in filled:
                cursor.execute(f'CREATE TABLE {KEPT}."{table}" AS TABLE public."{table}"')
        else:
            cursor.execute("VACUUM INTO %s", [str(_file())])
    empty = [f'DELETE FROM "{table}"' for table in tables]
    fill = [f'INSERT INTO "{table}" ({tables[table]}) SELECT {tables[table]} FROM {KEPT}."{table}"' for table in filled]

    def after_a_test(case: TransactionTestCase) -> None:
        put_back([*empty, *fill])

    TransactionTestCase._fixture_teardown = after_a_test  # type: ignore[attr-defined]


def _has_rows(cursor: Any, table: str) -> bool:
    cursor.execute(f'SELECT 1 FROM "{table}" LIMIT 1')
    return cursor.fetchone() is not None


def put_back(statements: list[str]) -> None:
    """References are checked at the end of the transaction, so that the order of the tables does not matter.

    Nobody is told by signals, as Wagtail would be, which keeps the addresses of sites in the cache.
    """
    Site.clear_site_root_paths_cache()
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("; ".join(statements))
        return
    with connection.cursor() as cursor:
        cursor.execute(f"ATTACH DATABASE %s AS {KEPT}", [str(_file())])
        with transaction.atomic():
            for statement in statements:
                cursor.execute(statement)
        cursor.execute(f"DETACH DATABASE {KEPT}")


def _file() -> Path:
    return Path(settings.VAR_DIR) / f"{KEPT}.sqlite3"


def _tables() -> dict[str, str]:
    """Every table of a model, in the order of the models, and its columns, those left out that the database computes."""
    found = {}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            columns = [field.column for field in model._meta.local_concrete_fields if not field.generated]
            found[model._meta.db_table] = ", ".join(f'"{column}"' for column in columns)
    return found
