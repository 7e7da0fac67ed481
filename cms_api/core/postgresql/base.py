"""Django's PostgreSQL backend, with cursors whose statements are prepared: see `core.statements`."""

from typing import Any

from django.db.backends.postgresql import base
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from ..first_write import prepare_to_write


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        # Integers of every size have one type: with each combination of types a prepared statement is another one.
        for dumper in (Int8Dumper, Int8BinaryDumper):
            connection.adapters.register_dumper(int, dumper)
        return connection

    def set_autocommit(self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False) -> None:
        if not autocommit:
            prepare_to_write()
        super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)

    def statement_cursor(self, *, binary: bool) -> Any:
        """Return a cursor for SQL whose text stays the same, unless prepared statements are off; see `core.statements`."""
        if self.settings_dict["OPTIONS"].get("prepare_threshold") is None or self.queries_logged:
            return self.cursor()
        self.validate_thread_sharing()
        self.close_if_health_check_failed()
        self.ensure_connection()
        cursor: Any = base.ServerBindingCursor(self.connection)  # type: ignore[call-arg]
        cursor.format = Format.BINARY if binary else Format.TEXT
        return self.make_cursor(cursor)
