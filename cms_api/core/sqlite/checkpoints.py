"""Copies the write-ahead log into the database file, so that no request has to.

SQLite does it in the commit that makes the log too long, which waits for the disk meanwhile. A worker does it every second,
while others read and write. Where none runs, commits do it as before, but more rarely: see `wal_autocheckpoint` in the settings.
"""

import logging
import threading

from django.db import Error, connection

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 1.0


class Checkpoints:
    """A worker's thread that makes checkpoints; there is none for other databases than SQLite."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)

    def start(self) -> None:
        if connection.vendor == "sqlite":
            self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(PAUSE_SECONDS):
            try:
                checkpoint()
            except Error:
                logger.debug("No checkpoint could be made.", exc_info=True)
        connection.close()


def checkpoint() -> tuple[int, int]:
    """Copy the log as far as nobody reads older data; return its pages, and how many of them have been copied by now.

    Nobody waits for it. If there is nothing to copy, the disk is not asked for anything.
    """
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
        _, pages, copied = cursor.fetchone()
    return pages, copied
