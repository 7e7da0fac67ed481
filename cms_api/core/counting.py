"""Several counts in one statement: those of groups, and formulas of numbers of rows."""

from collections.abc import Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import IntegerField, QuerySet, Subquery


class CountOf(Subquery):
    """The number of rows of a queryset, at most `most`, as an expression: the database reads no further."""

    output_field = IntegerField()
    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"

    def __init__(self, queryset: QuerySet[Any, Any], most: int) -> None:
        super().__init__(queryset.order_by().values("pk")[:most])


def count_by(formula: str, **counted: QuerySet[Any, Any]) -> int:
    """Return the value of an SQL formula, in which names in braces stand for numbers of rows: `{all} - {hidden}` (one statement).

    A name may stand in it once. Databases count only for the branch of a `CASE` that is taken. The formula has no parameters.
    """
    parameters: list[Any] = []
    counts = {}
    for name in sorted(counted, key=lambda name: formula.index(f"{{{name}}}")):
        sql, values = _compile(counted[name])
        parameters += values
        counts[name] = f"(SELECT COUNT(*) FROM ({sql}) AS counted)" if sql else "0"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {formula.format(**counts)}", parameters)
        return int(cursor.fetchone()[0])


def _compile(counted: QuerySet[Any, Any]) -> tuple[str, Sequence[Any]]:
    """Return the statement and its parameters; an empty one if no row can meet the conditions."""
    query = counted.values("pk").query
    query.clear_ordering()
    try:
        compiled: tuple[str, Sequence[Any]] = query.get_compiler(connection=connection).as_sql()
    except EmptyResultSet:
        return "", ()
    return compiled
