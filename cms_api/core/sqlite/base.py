"""SQLite connections that begin to write in the order in which they asked.

One connection writes at a time. SQLite lets the others try again and again, and sleep up to 100 ms in between: with several
threads that write all the time, some of them hardly ever find it free. So the threads of a process queue before they begin a
transaction; among processes it is as ever.
"""

import os
import sqlite3
import threading
from collections import defaultdict, deque
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from ..first_write import prepare_to_write
from ..private_files import create_private


class FairLock:
    """A lock that threads get in the order in which they ask for it."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._is_locked = False
        self._waiting: deque[threading.Event] = deque()

    def acquire(self, timeout: float) -> bool:
        """Wait for the lock, at most so many seconds; return whether it is held now."""
        with self._mutex:
            if not self._is_locked:
                self._is_locked = True
                return True
            handed = threading.Event()
            self._waiting.append(handed)
        if handed.wait(timeout):
            return True
        with self._mutex:
            if not handed.is_set():
                self._waiting.remove(handed)
            return handed.is_set()

    def release(self) -> None:
        """Hand the lock to the thread that has waited longest."""
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_locked = False


#: By the name of the database.
_locks: defaultdict[str, FairLock] = defaultdict(FairLock)
# A process that is forked has none of the threads that wait, or write.
os.register_at_fork(after_in_child=_locks.clear)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with a queue of the threads that begin a transaction."""

    #: Acquired during a transaction.
    _acquired: FairLock | None = None

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        name = str(conn_params["database"])
        # Others are in memory.
        if not name.startswith((":", "file:")):
            create_private(name)
        return super().get_new_connection(conn_params)

    def set_autocommit(self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False) -> None:
        if not autocommit:
            prepare_to_write()
        super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)

    def _start_transaction_under_autocommit(self) -> None:
        lock = _locks[self.settings_dict["NAME"]]
        if not lock.acquire(self.settings_dict["OPTIONS"].get("timeout", 5.0)):
            raise OperationalError("database is locked") from _busy()
        self._acquired = lock
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._release()
            raise

    def _commit(self) -> Any:
        found = super()._commit()  # type: ignore[misc]
        # Not after an error: then it is rolled back.
        self._release()
        return found

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]
        finally:
            self._release()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]
        finally:
            self._release()

    def _release(self) -> None:
        if self._acquired is not None:
            lock, self._acquired = self._acquired, None
            lock.release()


def _busy() -> sqlite3.OperationalError:
    """Return the error that SQLite itself raises if another connection writes for too long."""
    problem = sqlite3.OperationalError("database is locked")
    problem.sqlite_errorcode, problem.sqlite_errorname = sqlite3.SQLITE_BUSY, "SQLITE_BUSY"
    return problem
