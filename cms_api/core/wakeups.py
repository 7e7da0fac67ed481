"""Wakes the workers when a queue has work, so that it does not wait for their next poll.

A wake-up may get lost, and costs nothing but time: the rows in the database say what is due, and workers poll them anyway. On
PostgreSQL it is a notification, which reaches the workers of all hosts. On SQLite, whose processes are all on one host, it is a
line in a named pipe of each worker, below VAR_DIR.
"""

import errno
import logging
import os
import secrets
import select
import threading
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import Error, connection, transaction

from .writing import Sql, execute_together

logger = logging.getLogger(__name__)

CHANNEL = "wakeups"
#: Seconds without a wake-up until a listener asks PostgreSQL whether it is there, and seconds until it listens again.
CHECK_SECONDS, RETRY_SECONDS = 30.0, 5.0
#: More than a pipe holds.
_PIPE_BYTES = 1 << 20


def wake(queue: str) -> None:
    """Wake the workers of a queue when the current transaction has been committed, once however often it is called."""
    call = _Wake(queue)
    if not any(function == call for _, function, *_ in connection.run_on_commit):
        transaction.on_commit(call)


@dataclass(frozen=True)
class _Wake:
    queue: str

    def __call__(self) -> None:
        try:
            if connection.vendor == "postgresql":
                # A transaction of its own: in the other, it would let commits wait for each other.
                execute_together(Sql("SELECT pg_notify(%s, %s)", [CHANNEL, self.queue]), durable=False)
            else:
                _write_to_pipes(self.queue)
        except (OSError, Error):
            logger.debug("The workers of %s could not be woken.", self.queue, exc_info=True)


def _folder() -> Path:
    return Path(settings.VAR_DIR) / "wakeups"


def _write_to_pipes(queue: str) -> None:
    with suppress(FileNotFoundError):
        for name in os.listdir(_folder()):
            if not name.startswith("."):
                _write(_folder() / name, f"{queue}\n".encode())


def _write(path: Path, line: bytes) -> None:
    """Write a line to a worker's pipe, at once or not at all; remove the pipe if its worker is dead."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    except OSError as problem:
        if problem.errno != errno.ENXIO:
            raise
        path.unlink(missing_ok=True)
        return
    try:
        # A full pipe is being read.
        with suppress(BlockingIOError, BrokenPipeError):
            os.write(descriptor, line)
    finally:
        os.close(descriptor)


class _Pipe:
    """A pipe of this worker. It gets its name once it is read: a named pipe that nobody reads is that of a dead worker."""

    def __init__(self) -> None:
        name = secrets.token_hex(8)
        unnamed, self._path = _folder() / f".{name}", _folder() / name
        _folder().mkdir(mode=0o700, exist_ok=True)
        os.mkfifo(unnamed, 0o600)
        # A reader that can write too never reads the end of the pipe.
        self._descriptor = os.open(unnamed, os.O_RDWR | os.O_NONBLOCK)
        unnamed.rename(self._path)

    def fileno(self) -> int:
        return self._descriptor

    def read(self) -> list[str]:
        with suppress(BlockingIOError):
            return os.read(self._descriptor, _PIPE_BYTES).decode(errors="replace").split()
        return []

    def close(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)


class _Channel:
    """The channel of notifications, on this thread's connection to PostgreSQL."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"LISTEN {CHANNEL}")

    def fileno(self) -> int:
        return int(connection.connection.fileno())

    def read(self) -> list[str]:
        """Return the queues that were woken, in order. Raises Error if the server is gone."""
        with connection.wrap_database_errors:
            if not _is_readable(self, seconds=0):
                connection.connection.execute("SELECT 1")
            return [notification.payload for notification in connection.connection.notifies(timeout=0)]

    def close(self) -> None:
        connection.close()


def _is_readable(*sources: "int | _Pipe | _Channel", seconds: float) -> bool:
    """Wait until something can be read; return False if nothing can."""
    poll = select.poll()
    for source in sources:
        poll.register(source, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


class Listener:
    """A worker's thread that waits for wake-ups, and calls the function of the queue that is woken."""

    def __init__(self, functions: Mapping[str, Callable[[], None]]) -> None:
        self._functions = functions
        self._stop = threading.Event()
        self._stopped, self._stopper = os.pipe()
        self._thread = threading.Thread(target=self._run, name="wakeups", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        os.write(self._stopper, b".")
        self._thread.join()
        os.close(self._stopper)
        os.close(self._stopped)

    def _run(self) -> None:
        level = logging.WARNING
        while not self._stop.is_set():
            try:
                with closing(_Channel() if connection.vendor == "postgresql" else _Pipe()) as source:
                    level = logging.WARNING
                    self._listen(source)
            except (OSError, Error):
                logger.log(level, "Workers cannot be woken; they find work when they poll.", exc_info=True)
                connection.close()
                # Each further failure in a row is the same problem.
                level = logging.DEBUG
                self._stop.wait(RETRY_SECONDS)

    def _listen(self, source: "_Pipe | _Channel") -> None:
        while not self._stop.is_set():
            _is_readable(source, self._stopped, seconds=CHECK_SECONDS)
            for queue in dict.fromkeys(source.read()):
                if queue in self._functions:
                    self._functions[queue]()
