"""Leaves threads of this process to other requests while some do much work, or wait for another server."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from .outages import Busy

#: Slow requests of all kinds at once: three quarters of the threads of a process (`gateway.serving.bridge`).
MAX_SLOW_REQUESTS = 12


class SlowRequests:
    """The requests of one kind, of which `most` are let in at once. All kinds share a limit too, MAX_SLOW_REQUESTS by default."""

    _all = threading.BoundedSemaphore(MAX_SLOW_REQUESTS)

    def __init__(self, most: int, shared: threading.BoundedSemaphore | None = None) -> None:
        self._limits = (threading.BoundedSemaphore(most), shared or self._all)

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Raises Busy, without waiting, if there are as many already."""
        own, shared = self._limits
        if not own.acquire(blocking=False):
            raise Busy
        try:
            if not shared.acquire(blocking=False):
                raise Busy
            try:
                yield
            finally:
                shared.release()
        finally:
            own.release()
