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


class Turns:
    """A lock that threads get in the order in which they ask for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_taken = False
        self._waiting: deque[threading.Event] = deque()

    def take(self, timeout: float) -> bool:
        """Wait for the turn of this thread, at most so many seconds; return whether it came."""
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(timeout):
            return True
        with self._lock:
            if not turn.is_set():
                self._waiting.remove(turn)
            return turn.is_set()

    def give_back(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False


#: By the name of the database.
_turns: defaultdict[str, Turns] = defaultdict(Turns)
# A process that is forked has none of the threads that wait, or write.
os.register_at_fork(after_in_child=_turns.clear)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's, with a queue of the threads that begin a transaction."""

    #: While this connection has its turn.
    _turn: Turns | None = None

    def _start_transaction_under_autocommit(self) -> None:
        turns = _turns[self.settings_dict["NAME"]]
        if not turns.take(self.settings_dict["OPTIONS"].get("timeout", 5.0)):
            raise OperationalError("database is locked") from _busy()
        self._turn = turns
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._end_turn()
            raise

    def _commit(self) -> Any:
        found = super()._commit()  # type: ignore[misc]
        # Not after an error: then it is rolled back.
        self._end_turn()
        return found

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        if self._turn is not None:
            turns, self._turn = self._turn, None
            turns.give_back()


def _busy() -> sqlite3.OperationalError:
    """Return the error that SQLite itself raises if another connection writes for too long."""
    problem = sqlite3.OperationalError("database is locked")
    problem.sqlite_errorcode, problem.sqlite_errorname = sqlite3.SQLITE_BUSY, "SQLITE_BUSY"
    return problem
