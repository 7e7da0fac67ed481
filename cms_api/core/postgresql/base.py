"""Connections that notice when PostgreSQL is gone, and when it is back.

Each thread keeps its connection, and a server that refuses connections is noticed at once. Two more things are added to
Django's backend. A connection that the server has closed, because it was restarted, is replaced before its first statement,
without asking the server each time. And a statement that gets no answer is given up if the server answers nobody else
either: a stopped process, or a host that is cut off, closes no connection.

Statements whose text is the same each time can be prepared, see `core.statements`. Processes that are forked, such as those of
the task queue, open connections and a pool of their own.
"""

import os
import socket
import struct
from functools import partial
from typing import Any

import psycopg
from django.db import connections
from django.db.backends.postgresql import base
from psycopg import IsolationLevel, errors
from psycopg.errors import Diagnostic
from psycopg.pq import Format
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from cms_api.core.outages import CircuitBreaker

from ..first_write import prepare_to_write

#: Seconds without an answer to a statement until the server is asked whether it is there, and seconds for that answer.
SILENCE, ANSWER = 0.9, 0.8
#: The same once the server has answered: a statement may take long.
PATIENCE = 10.0

#: Asks whether the server supports TLS; it answers with one byte, before it asks who is there.
_SSL_REQUEST = struct.pack("!ii", 8, 80877103)

breaker = CircuitBreaker("PostgreSQL", instead="requests that need it are refused until it answers")


class Connection(psycopg.Connection[Any]):
    """A connection whose statements fail if the server answers nobody."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.process = os.getpid()
        self._last_words: list[str] = []
        # A method of this object would keep it from being collected at once.
        self.add_notice_handler(partial(_note_end, self._last_words))

    def __del__(self, *_: Any) -> None:
        """Close the connection of a thread that has ended, unless it is that of the process which forked this one."""
        if hasattr(self, "pgconn") and getattr(self, "process", None) == os.getpid():
            self.pgconn.finish()

    def has_ended(self) -> bool:
        """Return whether the server has closed the idle connection, without asking it.

        Nothing here releases the interpreter's lock, which other threads would take over only to give it back.
        """
        try:
            self.pgconn.consume_input()
            # Hands what has been received to the handler of notices.
            self.pgconn.is_busy()
        except psycopg.OperationalError:
            return True
        return bool(self._last_words)

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        if timeout is not None:
            return super().wait(gen, interval, timeout)
        silence, answer = SILENCE, ANSWER
        while True:
            try:
                return super().wait(gen, interval, silence)
            except errors._WaitTimeout:
                if is_silent(self.info.hostaddr or self.info.host, self.info.port, answer):
                    self.pgconn.finish()
                    raise gone() from None
            silence = answer = PATIENCE


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with the connections above."""

    def __init__(self, settings_dict: dict[str, Any], *given: Any, **named: Any) -> None:
        if pool := settings_dict["OPTIONS"].get("pool"):
            pool["connection_class"] = Connection
        super().__init__(settings_dict, *given, **named)

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection:
        if breaker.is_open():
            raise errors.ConnectionTimeout("The server did not answer a moment ago.")
        host, port = str(conn_params.get("host") or ""), str(conn_params.get("port") or "5432")
        # A list of hosts, or the client library's default, is left to the client library's own timeout.
        if host and port.isdigit() and "," not in host and is_silent(host, int(port), ANSWER):
            raise gone()
        self.isolation_level = IsolationLevel.READ_COMMITTED
        connection = self._pooled() if self.pool else Connection.connect(**conn_params)
        # Integers of every size have one type: with each combination of types a prepared statement is another one.
        for dumper in (Int8Dumper, Int8BinaryDumper):
            connection.adapters.register_dumper(int, dumper)
        breaker.succeeded()
        return connection

    def _pooled(self) -> Connection:
        """Return a connection of the pool that the server has not closed meanwhile."""
        pool = self.pool
        pool.open()
        found: Connection
        while (found := pool.getconn()).has_ended():
            found.close()
            pool.putconn(found)
        return found

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

    def is_usable(self) -> bool:
        """Return whether the connection works. Django asks when a request first uses it, and after an error."""
        connection = self.connection
        if connection is None or connection.closed:
            return False
        if self.errors_occurred:
            return bool(super().is_usable())
        return not connection.has_ended()


#: Pools of the process that forked this one. Their threads are not in this process, so that they cannot be closed.
_pools_of_parent: list[Any] = []


def _forget_connections() -> None:
    """Leave the connections of the process that forked this one alone: to close them would end them for that process too."""
    pools: dict[str, Any] = DatabaseWrapper._connection_pools  # type: ignore[attr-defined]
    _pools_of_parent.extend(pools.values())
    pools.clear()
    for wrapper in connections.all(initialized_only=True):
        if isinstance(wrapper, DatabaseWrapper):
            wrapper.connection = None


os.register_at_fork(after_in_child=_forget_connections)


def gone() -> errors.ConnectionTimeout:
    """Let other threads skip the server, and return the error to raise."""
    problem = errors.ConnectionTimeout("The server does not answer.")
    breaker.failed(problem)
    return problem


def is_silent(host: str, port: int, seconds: float) -> bool:
    """Return whether a server accepts no connection, or does not answer on it; False if it refuses connections."""
    is_file = host.startswith("/")
    try:
        with socket.socket(socket.AF_UNIX) if is_file else socket.create_connection((host, port), seconds) as probe:
            probe.settimeout(seconds)
            if is_file:
                probe.connect(f"{host}/.s.PGSQL.{port}")
            probe.sendall(_SSL_REQUEST)
            probe.recv(1)
    except TimeoutError:
        return True
    except OSError:
        return False
    return False


def _note_end(last_words: list[str], notice: Diagnostic) -> None:
    """Note what a server says before it closes a connection."""
    if notice.severity_nonlocalized in {"FATAL", "PANIC"}:
        last_words.append(notice.message_primary or "")
