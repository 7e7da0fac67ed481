"""The exclusive right of one request of the whole site to a name, which no process can leave behind when it is killed.

On this host it is a lock on a file, which the system releases when the process ends, however that happens. The hosts of a site
share PostgreSQL, whose lock ends with the transaction or the connection.
"""

import fcntl
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.db import connection

DAY_SECONDS = 24 * 3600

logger = logging.getLogger(__name__)


@contextmanager
def claim(name: str) -> Iterator[bool]:
    """Yield whether this thread alone has a name on this host, until the block ends."""
    path = _folder() / sha256(name.encode()).hexdigest()
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = _lock(path)
    except OSError:
        # On a full disk: the database decides, if it can.
        logger.warning("The file of a claim could not be locked.", exc_info=True)
        yield True
        return
    if descriptor is None:
        yield False
        return
    try:
        yield True
    finally:
        # Before it is unlocked: who opens it afterwards makes a new one.
        with suppress(OSError):
            path.unlink()
        os.close(descriptor)


def claim_in_transaction(name: str) -> bool:
    """Return whether the current transaction alone has a name on all hosts, until it ends; SQLite has a single host."""
    if connection.vendor != "postgresql":
        return True
    number = int.from_bytes(sha256(name.encode()).digest()[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        return bool(cursor.fetchone()[0])


def remove_left_claims() -> None:
    """Delete the files of processes that were killed. No request lasts for a day."""
    if not _folder().is_dir():
        return
    for path in _folder().iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - DAY_SECONDS:
                path.unlink()


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "claims"


def _lock(path: Path) -> int | None:
    """Return the descriptor of the locked file of this name; None if it is locked. Raises OSError."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(path, descriptor):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            return None
        except OSError:
            os.close(descriptor)
            raise
        # Another thread has removed it between the two calls.
        os.close(descriptor)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
