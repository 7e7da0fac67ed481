"""Cursors that bind values on the server, and have PostgreSQL prepare the statements that are repeated.

psycopg counts and prepares them. Once one is prepared, libpq executes it without psycopg's and Django's cursors, which take
almost half of the client's time of a short statement. Its name is known to psycopg alone, in an attribute that is not public.
"""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from django.db.backends.postgresql import base
from psycopg import errors
from psycopg._queries import PostgresQuery
from psycopg.abc import AdaptContext
from psycopg.adapt import AdaptersMap, Transformer
from psycopg.generators import execute
from psycopg.pq import ExecStatus, Format, TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper


class PreparingCursor(base.ServerBindingCursor):
    """Binds values on the server, and has psycopg prepare what is executed repeatedly.

    Integers have one type, whatever their size: with each combination of types a statement is another one.
    """

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)  # type: ignore[call-arg]
        if connection.statement_adapters is None:
            connection.statement_adapters = AdaptersMap(connection.adapters)
            for dumper in (Int8Dumper, Int8BinaryDumper):
                connection.statement_adapters.register_dumper(int, dumper)
        self._adapters = AdaptersMap(connection.statement_adapters)


class StatementCursor:
    """Executes what is prepared by libpq, and everything else by a PreparingCursor. Rows are read at once."""

    def __init__(self, wrapper: Any, *, binary: bool) -> None:
        self._wrapper, self._binary = wrapper, binary
        self._rows: Iterator[tuple[Any, ...]] = iter(())
        self.rowcount = -1

    def __enter__(self) -> "StatementCursor":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""

    def execute(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Execute a statement with `%s` for each value. Raises what Django's cursors do."""
        wrapper = self._wrapper
        wrapper.validate_no_broken_transaction()
        with wrapper.wrap_database_errors:
            if not self._execute_prepared(wrapper.connection, sql, values):
                self._execute_by_psycopg(sql, values)

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(self._rows, None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._rows)

    def _execute_prepared(self, connection: Any, sql: str, values: Sequence[Any]) -> bool:
        """Execute a statement if it is prepared, and return whether it is."""
        server = connection.pgconn
        if not connection.autocommit and server.transaction_status == TransactionStatus.IDLE:
            # psycopg begins the transaction.
            return False
        transformer = connection.transformer
        if transformer is None:
            transformer = connection.transformer = Transformer(cast(AdaptContext, PreparingCursor(connection)))
        query, names = PostgresQuery(transformer), connection._prepared._names
        query.convert(sql, values)
        key = query.query, query.types
        name = names.get(key)
        if name is None:
            return False
        names.move_to_end(key)
        server.send_query_prepared(name, query.params, param_formats=query.formats, result_format=self._binary)
        [result] = connection.wait(execute(server))
        if result.status == ExecStatus.TUPLES_OK:
            transformer.set_pgresult(result)
            self.rowcount = result.ntuples
            self._rows = iter(transformer.load_rows(0, self.rowcount, tuple))
            transformer.set_pgresult(None)
        elif result.status == ExecStatus.COMMAND_OK:
            self.rowcount = result.command_tuples or 0
        else:
            raise errors.error_from_result(result, encoding=connection.info.encoding)
        return True

    def _execute_by_psycopg(self, sql: str, values: Sequence[Any]) -> None:
        cursor: Any = PreparingCursor(self._wrapper.connection)
        with cursor:
            cursor.format = Format.BINARY if self._binary else Format.TEXT
            cursor.execute(sql, values)
            self.rowcount = cursor.rowcount
            self._rows = iter(cursor.fetchall() if cursor.description else ())
