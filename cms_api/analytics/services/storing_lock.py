"""The lock by which one worker at a time stores events, sums up months, or makes and drops partitions."""

from django.db import connection

#: The key of the lock in this database: "visits" as a number.
_LOCK = int.from_bytes(b"visits")


def wait_for_others() -> None:
    """Let one worker store at a time, until the transaction ends: counting needs to know what the others have stored.

    On SQLite, writing transactions are exclusive anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
