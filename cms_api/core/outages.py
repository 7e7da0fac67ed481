"""Outages: errors of a database, a server or a disk that no request can help, and how often a server that is away is asked.

Every request that an outage fails is answered 503 with `Retry-After`: by `gateway.dispatch` under /api/, by
`gateway.failures` elsewhere. `find` tells an outage from a mistake in the code, which is answered 500.
"""

import errno
import logging
import sqlite3
import threading
import time

from django.core.exceptions import SuspiciousOperation
from django.db import InternalError, OperationalError

#: System errors of a disk on which nothing more can be written.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
#: System errors of a disk that is broken, away or read-only, and of too many open files.
_NO_DISK = {errno.EIO, errno.EROFS, errno.ESTALE}
_NO_DESCRIPTORS = {errno.EMFILE, errno.ENFILE}
#: SQLite's errors of a file that cannot be read or written, or that another process has locked for too long.
_SQLITE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}
#: The beginnings of PostgreSQL's SQLSTATEs: lost connections, too few resources, shutdowns, errors of the system, a standby.
_POSTGRESQL = ("08", "53", "57P", "58", "25006")
_POSTGRESQL_FULL = "53100"
#: PostgreSQL has ended one of two transactions that waited for each other: nothing is written, and it may be tried again.
_POSTGRESQL_CONFLICTS = {"40P01", "40001"}
#: The longest chain of errors that is searched.
_MAX_CHAINED_ERRORS = 20

logger = logging.getLogger(__name__)


class Outage(Exception):
    """A problem of the installation, not of the request: what its answer says, as JSON and as a page."""

    message = "The service is unavailable. Try again later."
    title = "Temporarily unavailable"
    text = "We can't do this right now. It's a problem on our side. Try again in a few minutes."
    #: Seconds after which a client may try again.
    retry_after = 30


class DatabaseUnavailable(Outage):
    message = "The database is unavailable. Try again later."


class DiskFull(Outage):
    message = "The server's disk is full. Try again later."
    text = "We can't save anything right now. It's a problem on our side. Try again later."


class FilesUnavailable(Outage):
    """The disk or the storage of files does not respond or refuses access, perhaps only for some of them."""

    message = "The file storage is unavailable. Try again later."
    title = "Files are unavailable"
    text = "We can't reach our file storage right now. Nothing is lost. Try again in a few minutes."


class Busy(Outage):
    """The work would take more of the host than is left for other requests."""

    message = "The server is busy. Try again in a few seconds."
    title = "Too many requests"
    text = message
    retry_after = 10


def find(problem: BaseException | None) -> type[Outage] | None:
    """Return the outage that an error, or one that led to it, is caused by; None for any other error."""
    for _ in range(_MAX_CHAINED_ERRORS):
        if problem is None:
            return None
        if found := _kind(problem):
            return found
        problem = problem.__cause__ or problem.__context__
    return None


def _kind(problem: BaseException) -> type[Outage] | None:
    if isinstance(problem, Outage):
        return type(problem)
    if isinstance(problem, OSError) and (found := _kind_of_number(problem.errno)):
        return found
    if isinstance(problem, sqlite3.Error):
        # The low byte is the error; the rest tells where it occurred.
        code = getattr(problem, "sqlite_errorcode", 0) & 0xFF
        return DiskFull if code == sqlite3.SQLITE_FULL else DatabaseUnavailable if code in _SQLITE else None
    cause = problem.__cause__
    # A standby's refusal to write is an internal error.
    if isinstance(problem, OperationalError | InternalError) and cause is not None and hasattr(cause, "sqlstate"):
        state: str | None = cause.sqlstate
        if state == _POSTGRESQL_FULL:
            return DiskFull
        if state in _POSTGRESQL_CONFLICTS:
            return Busy
        # An error without a state is the client's own: it lost the connection, or got none.
        return DatabaseUnavailable if state is None or state.startswith(_POSTGRESQL) else None
    return None


def _kind_of_number(number: int | None) -> type[Outage] | None:
    if number in _FULL:
        return DiskFull
    return FilesUnavailable if number in _NO_DISK else Outage if number in _NO_DESCRIPTORS else None


class CircuitBreaker:
    """Skips a server that has failed: after a failure, and after each pause, only one attempt is made by this process."""

    def __init__(self, name: str, *, instead: str, pause: float = 2.0) -> None:
        """`instead` completes the log's sentence "Redis is unavailable; ..."."""
        self._name, self._instead, self._pause = name, instead, pause
        self._lock = threading.Lock()
        #: When to try again; None while the server works.
        self._retry_at: float | None = None

    def is_open(self) -> bool:
        """Return whether to skip the server. If the pause is over, one caller gets False, and is to try it."""
        if self._retry_at is None:
            return False
        with self._lock:
            now = time.monotonic()
            if now < (self._retry_at or now):
                return True
            if self._retry_at:
                self._retry_at = now + self._pause
            return False

    def record_failure(self, problem: Exception) -> None:
        with self._lock:
            is_new = self._retry_at is None
            self._retry_at = time.monotonic() + self._pause
        if is_new:
            logger.error("%s is unavailable; %s. The error is: %s", self._name, self._instead, problem)

    def record_success(self) -> None:
        if self._retry_at is None:
            return
        with self._lock:
            is_new, self._retry_at = self._retry_at is not None, None
        if is_new:
            logger.warning("%s is available again.", self._name)


class ShortRecords(logging.Filter):
    """Logs an outage, or a request that Django refuses, as one line: a traceback says nothing, and there may be one a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        problem = record.exc_info[1] if record.exc_info else None
        if isinstance(problem, SuspiciousOperation):
            # Its sentence is the message already.
            record.exc_info = record.exc_text = None
        elif problem is not None and find(problem):
            reason = " ".join(str(problem).split())
            record.msg, record.args = f"{record.getMessage()} {reason}", ()
            record.exc_info = record.exc_text = None
        return True
