"""Connections that stay open between calls to the same receiver, for a short time."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .connection import PinnedConnection

#: Seconds that an idle connection is kept open, and how many are.
IDLE_SECONDS, MAX_IDLE_CONNECTIONS = 30.0, 64


class KeptConnections:
    """Lends each connection to one thread at a time, and keeps it for the next one that calls the same receiver."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: By receiver, with the time since when they are idle, the longest first.
        self._idle: dict[int, tuple[float, PinnedConnection]] = {}

    @contextmanager
    def lend(self, receiver: int) -> Iterator[PinnedConnection]:
        """Yield the connection that is kept for a receiver, or a new one."""
        with self._lock:
            _, connection = self._idle.pop(receiver, (0.0, PinnedConnection()))
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        if connection.is_open:
            self._keep(receiver, connection)

    def _keep(self, receiver: int, connection: PinnedConnection) -> None:
        with self._lock:
            _, former = self._idle.pop(receiver, (0.0, None))
            self._idle[receiver] = time.monotonic(), connection
        if former is not None:
            # That of a worker which had lost its lease.
            former.close()
        self.close_idle()

    def close_idle(self, seconds: float = IDLE_SECONDS) -> None:
        """Close the connections that were idle for so long, and those that are too many."""
        with self._lock:
            latest = time.monotonic() - seconds
            old = [receiver for receiver, (since, _) in self._idle.items() if since <= latest]
            surplus = list(self._idle)[: max(0, len(self._idle) - MAX_IDLE_CONNECTIONS)]
            closing = [self._idle.pop(receiver)[1] for receiver in {*old, *surplus}]
        for connection in closing:
            connection.close()
