"""PostgreSQL: copied and loaded with the client programs of the server's own distribution."""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from psycopg.conninfo import make_conninfo

from cms_api.core.commands import UNFINISHED

from .types import BackupError, Rows

#: Options of Django's, which libpq does not know.
_DJANGO = {"pool", "isolation_level", "server_side_binding", "assume_role", "prepare_threshold", "cursor_factory", "context"}
#: Rows fetched at once.
BATCH = 2000
#: The number of the advisory lock that a restore has.
RESTORE_LOCK = 7_310_579_605
_END_LEFTOVERS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pg_restore'
"""
_VERSION = re.compile(r"\b(\d+)(?:\.\d+)?\b")


class PostgreSQL:
    engine = "postgresql"
    member = "database.dump"

    def check_tools(self) -> None:
        server = self._server_version()
        for program in ("pg_dump", "pg_restore"):
            found = _VERSION.search(_run(program, "--version"))
            if found and int(found[1]) < server:
                raise BackupError(f"{program} is of version {found[1]}, but the server of version {server}: {_install(server)}")

    @contextmanager
    def live(self) -> Iterator[Rows]:
        with transaction.atomic():
            yield _select

    @contextmanager
    def dump(self, target: Path, *, without: tuple[str, ...]) -> Iterator[Rows]:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                cursor.execute("SELECT pg_export_snapshot()")
                (snapshot,) = cursor.fetchone()
            left_out = [f"--exclude-table-data={table}" for table in without]
            portable = ("--format=custom", "--no-owner", "--no-privileges")
            _run("pg_dump", *portable, *left_out, f"--snapshot={snapshot}", f"--file={target}", _where())
            yield _select

    @contextmanager
    def claim(self) -> Iterator[bool]:
        # On a connection of its own: the lock ends with it, and others are closed on the way.
        own = connections.create_connection(DEFAULT_DB_ALIAS)
        try:
            with own.cursor() as cursor:
                cursor.execute("SELECT pg_try_advisory_lock(%s)", [RESTORE_LOCK])
                (is_alone,) = cursor.fetchone()
                if is_alone:
                    # That of a restore which was killed goes on without it.
                    cursor.execute(_END_LEFTOVERS)
            yield is_alone
        finally:
            own.close()

    def load(self, source: Path) -> None:
        # In a transaction of its own: `pg_restore --clean` knows only the tables of the copy.
        connection.close()
        with transaction.atomic(), connection.cursor() as cursor:
            _drop_tables(cursor)
            cursor.execute(f"CREATE TABLE {UNFINISHED} (id integer)")
        connection.close()
        options = ("--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges")
        _run("pg_restore", *options, _where(), str(source))
        with connection.cursor() as cursor:
            # Without statistics, the first hours would be slow.
            cursor.execute("ANALYZE")

    def wipe(self) -> None:
        connection.close()
        with transaction.atomic(), connection.cursor() as cursor:
            _drop_tables(cursor)

    def skip_ids(self, table: str, count: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [table])
            (sequence,) = cursor.fetchone()
            cursor.execute("SELECT setval(%s, nextval(%s) + %s)", [sequence, sequence, count])

    @staticmethod
    def _server_version() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SHOW server_version_num")
            return int(cursor.fetchone()[0]) // 10000


def _drop_tables(cursor: Any) -> None:
    for table in connection.introspection.table_names(cursor):
        cursor.execute(f"DROP TABLE IF EXISTS {connection.ops.quote_name(table)} CASCADE")


def _select(statement: str) -> Iterable[tuple[Any, ...]]:
    """Run a statement with a cursor of the server, so that not all rows are loaded."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement)
        while rows := cursor.fetchmany(BATCH):
            yield from rows


def _settings() -> dict[str, Any]:
    """Return how to connect, by libpq's names."""
    given = connection.settings_dict
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    options = {name: value for name, value in given["OPTIONS"].items() if name not in _DJANGO}
    return {**{name: given[key] for name, key in names.items() if given[key]}, **options}


def _where() -> str:
    """Return the database as an option of the client programs; the password is in the environment, where others cannot see it."""
    return "--dbname=" + make_conninfo(**{name: value for name, value in _settings().items() if name != "password"})


def _run(program: str, *options: str) -> str:
    """Run a client program and return its output. Raises BackupError with the reason."""
    password = _settings().get("password")
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    try:
        done = subprocess.run([program, *options], env=environment, capture_output=True, text=True, errors="replace")
    except FileNotFoundError as problem:
        raise BackupError(f"{program} is not installed: {_install(PostgreSQL._server_version())}") from problem
    if done.returncode:
        reason = done.stderr.strip()[-1000:] or f"it ended with status {done.returncode}"
        raise BackupError(f"{program} failed: {reason}")
    return done.stdout


def _install(version: int) -> str:
    return f"install PostgreSQL's client programs, version {version} or newer (Debian: postgresql-client-{version})."
