"""SQLite: copied and loaded with its online backup, which is one transaction on either side."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection

from cms_api.core.commands import UNFINISHED

from .types import BackupError, Rows

LOCK_WAIT_SECONDS = 60


class SQLite:
    engine = "sqlite"
    member = "database.sqlite3"

    def check_tools(self) -> None:
        """SQLite is part of Python."""

    @contextmanager
    def live(self) -> Iterator[Rows]:
        with closing(_open(_path())) as file:
            yield file.execute

    @contextmanager
    def dump(self, target: Path, *, without: tuple[str, ...]) -> Iterator[Rows]:
        with closing(_open(_path())) as file, closing(_open(target)) as copy:
            # All pages in one step: one read transaction, beside which others write.
            file.backup(copy)
            # The copy must be complete without a write-ahead log.
            copy.execute("PRAGMA journal_mode=DELETE")
            copy.execute("PRAGMA secure_delete=ON")
            tables = {name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            for table in tables.intersection(without):
                copy.execute(f'DELETE FROM "{table}"')
            yield copy.execute

    @contextmanager
    def claim(self) -> Iterator[bool]:
        with open(_path().with_name(f"{_path().name}-restore"), "wb", opener=_open_privately) as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def load(self, source: Path) -> None:
        connection.close()
        try:
            with closing(_open(source)) as copy:
                copy.execute(f"CREATE TABLE {UNFINISHED} (id integer)")
                _replace(copy)
        except sqlite3.Error as problem:
            raise BackupError(f"The database could not be loaded: {problem}.") from problem

    def wipe(self) -> None:
        connection.close()
        with closing(_open(Path(":memory:"))) as nothing:
            _replace(nothing)

    def skip_ids(self, table: str, count: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE sqlite_sequence SET seq = seq + %s WHERE name = %s", [count, table])
            if cursor.rowcount == 0:
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, count])


def _path() -> Path:
    return Path(connection.settings_dict["NAME"])


def _open_privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=LOCK_WAIT_SECONDS, isolation_level=None)


def _replace(source: sqlite3.Connection) -> None:
    """Replace the site's whole database in one transaction."""
    with closing(_open(_path())) as file:
        source.backup(file)
