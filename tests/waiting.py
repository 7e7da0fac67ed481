"""Tests of races go on when something has come about, not after a while."""

import time
from collections.abc import Callable
from typing import Any

from django.db import connection


def waiting() -> int:
    """How many of this database wait for a lock of somebody else, on PostgreSQL."""
    with connection.cursor() as cursor:
        # A transaction sees for ever what it saw of the others at first.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        return int(cursor.fetchone()[0])


def until(holds: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline, "It has not come about."
        time.sleep(0.01)
