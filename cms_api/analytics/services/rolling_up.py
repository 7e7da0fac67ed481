"""Adds to the roll-ups: rows that are missing are created, and the numbers of the others change by one statement each batch."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from ..models import RollUp
from ..types.counting import COLUMNS, Counts, Key

#: Rows of one statement; each has twelve values.
ROWS = 500


def add_up(counts: Counts) -> None:
    """Add differences to the roll-ups, in the caller's transaction."""
    # Always in the same order, so that two transactions never wait for each other.
    changes = sorted((key, numbers) for key, numbers in counts.items() if any(numbers))
    for start in range(0, len(changes), ROWS):
        _upsert(changes[start : start + ROWS])


def _upsert(changes: Sequence[tuple[Key, list[int]]]) -> None:
    quote = connection.ops.quote_name
    table = quote(RollUp._meta.db_table)
    names = ("day", "dimension", "path", "value", *COLUMNS)
    row = f"({', '.join(['%s'] * len(names))})"
    added = ", ".join(f"{quote(name)} = {table}.{quote(name)} + excluded.{quote(name)}" for name in COLUMNS)
    sql = (
        f"INSERT INTO {table} ({', '.join(map(quote, names))}) VALUES {', '.join([row] * len(changes))} "
        f"ON CONFLICT ({', '.join(map(quote, ('dimension', 'path', 'day', 'value')))}) DO UPDATE SET {added}"
    )
    values: list[Any] = [value for key, numbers in changes for value in (*key, *numbers)]
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
