"""Reads rows in pages by SQL that is compiled once for each set of conditions: building and compiling a queryset costs more
than the database needs for a page.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar, cast

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators

from . import statements

S = TypeVar("S", bound="Statement")

#: Maps values that a statement was compiled with to those with which it is executed.
Values = Mapping[Any, Any]

#: Statements that a process keeps; the rest is compiled as it comes.
CACHED_STATEMENTS = 500
#: Parts of a union. SQLite refuses more than 500.
MAX_UNION_PARTS = 50
#: Stand for an id, a text and an instant in a statement that is compiled once for all of them; `values` replace them.
ANY_ID, ANY_TEXT, ANY_TIME = -1, "*", datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)

#: Columns whose values are the same in PostgreSQL's binary format, in which bytes are half as long as in text.
_BINARY = {"AutoField", "BigAutoField", "BigIntegerField", "BinaryField", "BooleanField", "CharField", "DateTimeField"}
_BINARY |= {"ForeignKey", "IntegerField", "PositiveBigIntegerField", "PositiveIntegerField", "TextField"}

_kept: dict[Hashable, "Statement"] = {}


class Statement:
    """The compiled SQL of a queryset of tuples, and the conversions of its columns."""

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        compiler: Any = queryset.query.get_compiler(connection=connection)
        try:
            self.sql, self.parameters = compiler.as_sql()
        except EmptyResultSet:
            # Conditions that no row can meet.
            self.sql, self.parameters = "", ()
            return
        kinds = {column.output_field.get_internal_type() for column, _, _ in compiler.select}
        self.is_binary = "BinaryField" in kinds and kinds <= _BINARY
        converters: dict[int, Any] = compiler.get_converters([column for column, _, _ in compiler.select])
        self.convert = partial(compiler.apply_converters, converters=converters) if converters else iter
        self.read(compiler)

    def read(self, compiler: Any) -> None:
        """Note what the rows consist of."""

    def rows(self, start: int, stop: int, values: Values | None = None) -> list[Any]:
        """Return the rows from `start` up to `stop` (one statement); `values` replace those that it was compiled with.

        How many they are is part of the text: PostgreSQL would plan a prepared statement each time if it did not know that.
        """
        if start >= stop:
            return []
        part, bounds = (" OFFSET %s", (start,)) if start else ("", ())
        return self._fetch(f" LIMIT {stop - start}{part}", bounds, values)

    def all(self, values: Values | None = None) -> list[Any]:
        """Return all rows (one statement), as `rows` does."""
        return self._fetch("", (), values)

    def first(self, values: Values | None = None) -> Any:
        """Return the first row, or None (one statement), as `rows` does."""
        return next(iter(self.rows(0, 1, values)), None)

    def count(self, values: Values | None = None) -> int:
        """Return the number of rows (one statement)."""
        if not self.sql:
            return 0
        with statements.cursor() as cursor:
            cursor.execute(f"SELECT COUNT(*) FROM ({self.sql}) AS counted", self._fill_in(values))
            return int(cursor.fetchone()[0])

    def _fetch(self, part: str, bounds: tuple[int, ...], values: Values | None) -> list[Any]:
        if not self.sql:
            return []
        with statements.cursor(binary=self.is_binary) as cursor:
            cursor.execute(self.sql + part, [*self._fill_in(values), *bounds])
            return list(map(tuple, self.convert(cursor.fetchall())))

    def _fill_in(self, values: Values | None) -> Sequence[Any]:
        if not values:
            return self.parameters
        stored = {_adapt(each): _adapt(other) for each, other in values.items()}
        # The path into JSON is a list.
        return [each if isinstance(each, list) else stored.get(each, each) for each in self.parameters]


class Instances(Statement):
    """The same of a queryset of instances, with those that it selects with them. Nothing may be annotated or prefetched."""

    def read(self, compiler: Any) -> None:
        klass_info = compiler.klass_info
        self.model: type[Model] = klass_info["model"]
        self.own = slice(klass_info["select_fields"][0], klass_info["select_fields"][-1] + 1)
        self.names = [column.target.attname for column, _, _ in compiler.select[self.own]]
        self.related = get_related_populators(klass_info, compiler.select, connection.alias)  # type: ignore[call-arg]

    def __getitem__(self, wanted: slice) -> list[Any]:
        """Return a page, as of a queryset: its start and its end must be given."""
        return self.rows(wanted.start, wanted.stop)

    def _fetch(self, part: str, bounds: tuple[int, ...], values: Values | None) -> list[Any]:
        return [self._instance(row) for row in super()._fetch(part, bounds, values)]

    def _instance(self, row: Any) -> Model:
        found = self.model.from_db(connection.alias, self.names, row[self.own])
        for each in self.related:
            each.populate(row, found)
        return found


def _adapt(value: Any) -> Any:
    """Return a value as the database's driver gets it."""
    return connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value


def compile_once(conditions: Hashable, build: Callable[[], QuerySet[Any, Any]], kind: type[S] = Statement) -> S:  # type: ignore[assignment]
    """Return the statement of a queryset, which is built only if these conditions, with their values, are new to the process."""
    found = _kept.get(conditions)
    if found is None:
        if len(_kept) >= CACHED_STATEMENTS:
            _kept.clear()
        _kept[conditions] = found = kind(build())
    return cast(S, found)
