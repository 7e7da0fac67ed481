"""Writes rows of the tables that are written most, in few round trips: their SQL is compiled once per model.

Nothing else than the ORM's own `bulk_create` and `save` would write: the same columns, with the same conversions. No signals
are sent, as with `bulk_create`; callers write what depends on a row themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import orjson
from django.db import connection, transaction
from django.db.models import DateTimeField, Field, FileField, JSONField, Model

from . import statements

#: Rows per statement, within the parameters that a statement may have.
_BATCH_ROWS = 200
_MAX_PARAMETERS = 30_000
#: Values of these types are bound unchanged by both databases, unless the column converts them.
_PLAIN = (str, int, float, bool, bytes, type(None))
#: Values that orjson would write differently are left to Django's encoders.
_JSON = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATACLASS


class Conflict(NamedTuple):
    """For a row whose `columns` are taken: the stored row gets its `replaced` columns, or without any, it is left out."""

    columns: tuple[str, ...]
    replaced: tuple[str, ...] = ()


class Sql(NamedTuple):
    """A statement, or a condition within one, and its parameters."""

    text: str
    parameters: Sequence[Any] = ()


def execute_as_one(parts: Sequence[Sql]) -> None:
    """Execute statements, none of which sees or changes the rows of another: on PostgreSQL they are parts of one statement.

    Raises IntegrityError.
    """
    if connection.vendor == "postgresql" and len(parts) > 1 and sum(len(each.parameters) for each in parts) < _MAX_PARAMETERS:
        *first, last = parts
        written = ", ".join(f"part_{number} AS ({each.text})" for number, each in enumerate(first))
        parts = [Sql(f"WITH {written} {last.text}", [value for each in parts for value in each.parameters])]
    for each in parts:
        with statements.cursor() as cursor:
            cursor.execute(*each)


def insertions(rows: Sequence[Model]) -> list[Sql]:
    """Return the statements that insert rows of one model, which do not get their ids. See `insert`."""
    if not rows:
        return []
    model, has_ids = type(rows[0]), rows[0].pk is not None
    columns = _columns(model, has_ids)
    step = max(1, min(_BATCH_ROWS, _MAX_PARAMETERS // len(columns)))
    parts = [rows[start : start + step] for start in range(0, len(rows), step)]
    _mark_stored(rows)
    return [Sql(_insertion(model, has_ids, len(part), None, False), _values(part, columns)) for part in parts]


def insert(rows: Sequence[Model], *, conflict: Conflict | None = None) -> int:
    """Insert rows of one model; return how many were written. Rows without an id get theirs, unless a conflict is handled.

    Raises IntegrityError, as `bulk_create` does.
    """
    if not rows:
        return 0
    model, has_ids = type(rows[0]), rows[0].pk is not None
    columns = _columns(model, has_ids)
    returning = not has_ids and conflict is None
    step, written = max(1, min(_BATCH_ROWS, _MAX_PARAMETERS // len(columns))), 0
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        with statements.cursor() as cursor:
            cursor.execute(_insertion(model, has_ids, len(part), conflict, returning), _values(part, columns))
            written += cursor.rowcount if not returning else len(part)
            if returning:
                for row, (key,) in zip(part, cursor.fetchall(), strict=True):
                    row.pk = key
    _mark_stored(rows)
    return written


def _mark_stored(rows: Sequence[Model]) -> None:
    alias = connection.alias
    for row in rows:
        row._state.adding, row._state.db = False, alias


def update(row: Model) -> int:
    """Write all columns of a stored row; return 0 if it has been deleted, else 1. Raises IntegrityError."""
    model = type(row)
    parameters = [convert(read(row)) for read, convert in _columns(model, False, is_new=False)]
    with statements.cursor() as cursor:
        cursor.execute(_change(model), [*parameters, row.pk])
        return int(cursor.rowcount)


def change(model: type[Model], where: Mapping[str, Any], changes: Mapping[str, Any]) -> int:
    """Change columns of the rows that have the given values, none of them null; return how many there were."""
    with statements.cursor() as cursor:
        cursor.execute(*_build_change(model, where, changes))
        return int(cursor.rowcount)


def changing(model: type[Model], where: Mapping[str, Any], changes: Mapping[str, Any], *conditions: Sql) -> Sql:
    """Return the statement of `change`, with further conditions; it returns the ids of the changed rows."""
    text, parameters = _build_change(model, where, changes)
    text += "".join(f" AND {condition.text}" for condition in conditions)
    return Sql(
        f"{text} RETURNING {_key(model)}", [*parameters, *chain.from_iterable(condition.parameters for condition in conditions)]
    )


def inserting(row: Model, condition: Sql) -> Sql:
    """Return a statement that inserts a row without an id if the condition is met."""
    model = type(row)
    parameters = [convert(read(row)) for read, convert in _columns(model, False)]
    return Sql(f"{_conditional_insertion(model)} {condition.text}", [*parameters, *condition.parameters])


def exists(model: type[Model], where: Mapping[str, Any]) -> Sql:
    """Return the condition that a row has the given values, none of them null."""
    text, converts = _existing(model, tuple(where))
    return Sql(text, [convert(value) for convert, value in zip(converts, where.values(), strict=True)])


def execute_together(*statements: Sql, durable: bool = True) -> list[list[tuple[Any, ...]]]:
    """Execute statements in one transaction; return the rows of each. PostgreSQL gets them in one message, in one round trip.

    Unless they are `durable`, the commit does not wait for PostgreSQL's disk, as none on SQLite does: after a crash of the
    server, the writes of its last second may be gone.
    """
    if connection.vendor == "postgresql":
        return _send_together(statements if durable else (_WITHOUT_DISK, *statements))[-len(statements) :]
    with transaction.atomic(savepoint=False), connection.cursor() as cursor:
        found = []
        for statement in statements:
            cursor.execute(*statement)
            found.append(_rows(cursor))
        return found


def _send_together(statements: Sequence[Sql]) -> list[list[tuple[Any, ...]]]:
    """Send statements in one message, which is a transaction by itself unless it is sent in one."""
    with connection.cursor() as cursor:
        cursor.execute("; ".join(sql.text for sql in statements), list(chain.from_iterable(sql.parameters for sql in statements)))
        found = [_rows(cursor)]
        while cursor.nextset():
            found.append(_rows(cursor))
    return found


def _rows(cursor: Any) -> list[tuple[Any, ...]]:
    return list(cursor.fetchall()) if cursor.description else []


def reserve_id_of_each(*models: type[Model]) -> list[int]:
    """Return an id of each model, as `reserve_ids` does, in one statement."""
    tables = [model._meta.db_table for model in models]
    with statements.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                f"SELECT {', '.join(['nextval(pg_get_serial_sequence(%s, %s))'] * len(models))}",
                [value for table in tables for value in (connection.ops.quote_name(table), "id")],
            )
            return list(cursor.fetchone())
        marks = ", ".join(["%s"] * len(tables))
        cursor.execute(f"UPDATE sqlite_sequence SET seq = seq + 1 WHERE name IN ({marks}) RETURNING name, seq", tables)
        found = dict(cursor.fetchall())
    # A table into which no row has ever been inserted has none.
    return [found.get(table) or reserve_ids(model, 1)[0] for model, table in zip(models, tables, strict=True)]


def reserve_ids(model: type[Model], count: int) -> list[int]:
    """Return ids that no other row of the table gets, for rows that refer to each other. Call it in a transaction."""
    table = model._meta.db_table
    with statements.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(_NEXT_IDS, [connection.ops.quote_name(table), count])
            return [key for (key,) in cursor.fetchall()]
        cursor.execute("UPDATE sqlite_sequence SET seq = seq + %s WHERE name = %s RETURNING seq", [count, table])
        found = cursor.fetchone()
        if found is None:
            # No row has ever been inserted.
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, count])
        last = found[0] if found else count
        return list(range(last - count + 1, last + 1))


_WITHOUT_DISK = Sql("SET LOCAL synchronous_commit TO off")
_NEXT_IDS = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"

Convert = Callable[[Any], Any]


def _values(rows: Sequence[Model], columns: Sequence[tuple[Convert, Convert]]) -> list[Any]:
    return [convert(read(row)) for row in rows for read, convert in columns]


@cache
def _columns(model: type[Model], has_ids: bool, is_new: bool = True) -> list[tuple[Convert, Convert]]:
    """Return for each written column how its value is read from a row, and how it is converted for the database."""
    return [(_read(field, is_new), _convert(field)) for field in _fields(model, has_ids)]


def _fields(model: type[Model], has_ids: bool) -> list[Field]:
    assert not model._meta.parents, "Rows of a model with parents are in several tables."
    return [field for field in model._meta.concrete_fields if not field.generated and (has_ids or not field.primary_key)]


def _read(field: Field, is_new: bool) -> Convert:
    is_stamped = getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False)
    if is_stamped or isinstance(field, FileField):
        return lambda row: field.pre_save(row, is_new)
    return attrgetter(field.attname)


def _convert(field: Field) -> Convert:
    def prepare(value: Any) -> Any:
        return field.get_db_prep_save(value, connection)

    if isinstance(field, JSONField):
        return lambda value: prepare(value) if (text := _json(value)) is None else text
    if isinstance(field, DateTimeField):
        return lambda value: _instant(value) if type(value) is datetime and value.tzinfo is UTC else prepare(value)
    if field.get_internal_type() in _CONVERTED:
        return prepare
    return lambda value: value if type(value) in _PLAIN else prepare(value)


@lru_cache(maxsize=256)
def _instant(value: datetime) -> Any:
    """Return a time in UTC as the database takes it. The columns of a row, and of those written with it, have the same times."""
    return connection.ops.adapt_datetimefield_value(value)


#: Fields whose plain values a database may take in another form.
_CONVERTED = {"BinaryField", "BooleanField", "DateField", "DecimalField", "TimeField", "UUIDField"}


def _json(value: Any) -> str | None:
    """Return a value as JSON text; None for one that Django's encoder must write, and for NULL."""
    if value is None:
        return None
    try:
        return orjson.dumps(value, option=_JSON).decode()
    except TypeError:
        return None


@lru_cache(maxsize=1024)
def _insertion(model: type[Model], has_ids: bool, count: int, conflict: Conflict | None, returning: bool) -> str:
    name = connection.ops.quote_name
    columns = [name(str(field.column)) for field in _fields(model, has_ids)]
    values = ", ".join([f"({', '.join(['%s'] * len(columns))})"] * count)
    sql = f"INSERT INTO {name(model._meta.db_table)} ({', '.join(columns)}) VALUES {values}"
    if conflict is not None:
        replaced = ", ".join(f"{name(column)} = excluded.{name(column)}" for column in conflict.replaced)
        sql += f" ON CONFLICT ({', '.join(map(name, conflict.columns))}) DO {f'UPDATE SET {replaced}' if replaced else 'NOTHING'}"
    if returning:
        sql += f" RETURNING {_key(model)}"
    return sql


@cache
def _conditional_insertion(model: type[Model]) -> str:
    name = connection.ops.quote_name
    columns = [name(str(field.column)) for field in _fields(model, False)]
    values = ", ".join(["%s"] * len(columns))
    return f"INSERT INTO {name(model._meta.db_table)} ({', '.join(columns)}) SELECT {values} WHERE"


def _build_change(model: type[Model], where: Mapping[str, Any], changes: Mapping[str, Any]) -> Sql:
    text, converts = _changing(model, tuple(where), tuple(changes))
    values = (*changes.values(), *where.values())
    return Sql(text, [convert(value) for convert, value in zip(converts, values, strict=True)])


@cache
def _changing(model: type[Model], where: tuple[str, ...], changes: tuple[str, ...]) -> tuple[str, list[Convert]]:
    parts, converts = _equations(model, (*changes, *where))
    changed, conditions = ", ".join(parts[: len(changes)]), " AND ".join(parts[len(changes) :])
    return f"UPDATE {connection.ops.quote_name(model._meta.db_table)} SET {changed} WHERE {conditions}", converts


@cache
def _existing(model: type[Model], where: tuple[str, ...]) -> tuple[str, list[Convert]]:
    parts, converts = _equations(model, where)
    table = connection.ops.quote_name(model._meta.db_table)
    return f"EXISTS (SELECT 1 FROM {table} WHERE {' AND '.join(parts)})", converts


def _equations(model: type[Model], names: tuple[str, ...]) -> tuple[list[str], list[Convert]]:
    """Return `column = %s` for each of the fields, and how its value is converted."""
    by_name = {field.name: field for field in model._meta.concrete_fields}
    fields = [by_name[each] for each in names]
    return [f"{connection.ops.quote_name(str(field.column))} = %s" for field in fields], [_convert(field) for field in fields]


def _key(model: type[Model]) -> str:
    return connection.ops.quote_name(str(model._meta.pk.column))


@cache
def _change(model: type[Model]) -> str:
    name = connection.ops.quote_name
    columns = ", ".join(f"{name(str(field.column))} = %s" for field in _fields(model, False))
    return f"UPDATE {name(model._meta.db_table)} SET {columns} WHERE {_key(model)} = %s"
