"""Counts as expressions: several of them, and which of them are needed, fit in one statement."""

from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import IntegerField, QuerySet, Subquery
from django.db.models.sql import Query
from django.db.models.sql.constants import SINGLE


class CountOf(Subquery):
    """The number of rows of a queryset; with `most`, at most so many: the database reads no further.

    In a `Case`, databases count only for the branch that is taken.
    """

    output_field = IntegerField()
    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"

    def __init__(self, queryset: QuerySet[Any, Any], most: int | None = None) -> None:
        super().__init__(queryset.order_by().values("pk")[:most])

    def as_sql(self, *given: Any, **named: Any) -> Any:
        try:
            return super().as_sql(*given, **named)
        except EmptyResultSet:
            return "0", ()


def read_values(*expressions: Any) -> tuple[Any, ...]:
    """Return the values of expressions that belong to no table, in one statement."""
    query = Query(None)
    for number, expression in enumerate(expressions):
        query.add_annotation(expression, f"value{number}")
    values: tuple[Any, ...] = tuple(query.get_compiler(connection=connection).execute_sql(SINGLE))
    return values
