"""The lock on all contacts: shared while writing or referencing them, exclusive while some are removed.

Both last until the transaction ends or its savepoint is rolled back. They are PostgreSQL advisory locks; on SQLite, writing
transactions are exclusive anyway.
"""

from django.db import connection
from django.db.transaction import TransactionManagementError

#: The key of the lock in this database: "crm" as a number.
_KEY = int.from_bytes(b"crm", "big")


def lock_contacts_for_share() -> None:
    """Prevent others from merging, moving or deleting contacts, and the addresses that lead to them.

    Any number of transactions can share the lock. Take it before locking rows of companies, contacts and rules; rows of
    other modules may already be locked.
    """
    _lock("pg_advisory_xact_lock_shared")


def lock_contacts() -> None:
    """Take the lock exclusively, waiting for transactions that share it: for merging, moving and deleting contacts.

    Take it first in the transaction. The only rows that may be locked before are those that no transaction sharing the lock
    waits for. The transaction must not share the lock already: two that do would deadlock.
    """
    _lock("pg_advisory_xact_lock")


def _lock(function: str) -> None:
    if not connection.in_atomic_block:
        raise TransactionManagementError("Contacts are locked within a transaction.")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}(%s)", [_KEY])
