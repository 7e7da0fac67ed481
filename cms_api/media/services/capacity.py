"""Bounds how many pictures are decoded at once on this host, and how many requests of this process wait for that.

A slot is a lock on a file, which the system releases when its process ends, however that happens.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from cms_api.core.outages import Busy
from cms_api.core.slow_requests import SlowRequests

#: Pictures at once, by kind of work. An upload may take hundreds of megabytes, and leaves at least half of the processors to
#: requests; the sources of renditions are no wider than stored pictures are.
SLOTS = {"uploads": 1, "renditions": 2} if (os.cpu_count() or 1) < 4 else {"uploads": 2, "renditions": 4}
#: The most seconds that a request waits for a slot, and between two attempts to get one.
MAX_WAIT_SECONDS, PAUSE_SECONDS = 60.0, 0.02

#: Uploads that are processed, or wait for a slot, in this process. Others are refused, and leave its threads to other requests.
uploads = SlowRequests(8)


@contextmanager
def slot(work: str) -> Iterator[None]:
    """Wait for one of the host's slots for a kind of work. Raises Busy if none is free within MAX_WAIT_SECONDS."""
    deadline = time.monotonic() + MAX_WAIT_SECONDS
    while (taken := _take(work)) is None:
        if time.monotonic() > deadline:
            raise Busy
        time.sleep(PAUSE_SECONDS)
    try:
        yield
    finally:
        os.close(taken)


def _take(work: str) -> int | None:
    """Return the descriptor of a file that is now locked, or None."""
    folder = Path(settings.VAR_DIR) / "slots"
    folder.mkdir(exist_ok=True)
    for number in range(SLOTS[work]):
        descriptor = os.open(folder / f"{work}.{number}", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
        else:
            return descriptor
    return None
