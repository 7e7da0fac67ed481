"""The lock on all contacts: shared where they are written or referred to, exclusive where some of them disappear.

Both kinds last until the transaction ends, or its savepoint is rolled back. They are advisory locks of PostgreSQL; on SQLite a
transaction that writes is alone already.
"""

from django.db import connection
from django.db.transaction import TransactionManagementError

#: The key of the lock in this database: "crm" as a number.
_KEY = int.from_bytes(b"crm", "big")


def lock_contacts_for_share() -> None:
    """Keep every contact, and every address that leads to one, from being merged, moved or deleted by others.

    Any number of transactions share the lock. It is taken before rows of companies, contacts and rules are; rows of other
    modules may be locked by then.
    """
    _lock("pg_advisory_xact_lock_shared")


def lock_contacts() -> None:
    """Wait until nobody shares the lock, and keep everybody from sharing it: for merging, moving and deleting contacts.

    It comes first in its transaction. At most, rows may be locked before that nobody waits for while sharing the lock; and the
    lock must not be shared already, as two who do so would wait for each other.
    """
    _lock("pg_advisory_xact_lock")


def _lock(function: str) -> None:
    if not connection.in_atomic_block:
        raise TransactionManagementError("Contacts are locked within a transaction.")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {function}(%s)", [_KEY])
