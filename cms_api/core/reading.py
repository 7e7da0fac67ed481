"""Reads rows in pages by SQL that is compiled once for each set of conditions: building and compiling a queryset costs more
than the database needs for a page.
"""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

#: Statements that a process keeps; the rest is compiled as it comes.
KEPT = 200

_kept: dict[Hashable, "Statement"] = {}


class Statement:
    """The compiled SQL of a queryset of tuples, and the conversions of its columns."""

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        compiler = queryset.query.get_compiler(connection=connection)
        try:
            self.sql, self.parameters = compiler.as_sql()
        except EmptyResultSet:
            # Conditions that no row can meet.
            self.sql, self.parameters = "", ()
            return
        converters = compiler.get_converters([column for column, _, _ in compiler.select])
        self.convert = partial(compiler.apply_converters, converters=converters) if converters else iter

    def rows(self, start: int, stop: int) -> list[Any]:
        """Return the rows from `start` up to `stop` (one statement)."""
        if not self.sql:
            return []
        with connection.cursor() as cursor:
            cursor.execute(f"{self.sql} LIMIT %s OFFSET %s", [*self.parameters, stop - start, start])
            return list(self.convert(cursor.fetchall()))


def compiled(conditions: Hashable, build: Callable[[], QuerySet[Any, Any]]) -> Statement:
    """Return the statement of a queryset, which is built only if these conditions, with their values, are new to the process."""
    found = _kept.get(conditions)
    if found is None:
        if len(_kept) >= KEPT:
            _kept.clear()
        _kept[conditions] = found = Statement(build())
    return found
