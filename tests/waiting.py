"""Waiting for a condition in tests of races, instead of sleeping, and second sessions of the database to wait for."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
import pytest
from django.db import connection


def waiting() -> int:
    """Count the connections to this database that wait for a lock, on PostgreSQL."""
    with connection.cursor() as cursor:
        # Within a transaction, PostgreSQL repeats its first answer unless the snapshot is cleared.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        return int(cursor.fetchone()[0])


def until(is_met: Callable[[], Any]) -> None:
    """Wait until a condition is met; fail after 20 seconds."""
    deadline = time.monotonic() + 20
    while not is_met():
        assert time.monotonic() < deadline, "The condition was not met within 20 seconds."
        time.sleep(0.01)


class Meeting:
    """Lets two transactions go on together once each has called a function, unless one waits for the locks of the other.

    On SQLite, which has one writer at a time, each goes on by itself.
    """

    #: Seconds in which the other one comes, too.
    WAIT_SECONDS = 0.5

    def __init__(self) -> None:
        self._both = threading.Barrier(2)

    def after(self, patch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        """Meet after the calls of a function."""
        called = getattr(owner, name)

        def call(*given: Any, **named: Any) -> Any:
            found = called(*given, **named)
            if connection.vendor == "postgresql":
                with suppress(threading.BrokenBarrierError):
                    self._both.wait(self.WAIT_SECONDS)
            return found

        patch.setattr(owner, name, call)


@contextmanager
def another_session(**more: str) -> Iterator[psycopg.Connection]:
    """A connection to this database on PostgreSQL, whose transaction is committed at the end."""
    parameters = {**connection.get_connection_params(), "cursor_factory": psycopg.Cursor, **more}
    for ours in ("context", "pool"):
        parameters.pop(ours, None)
    with psycopg.connect(**parameters) as session:
        yield session
