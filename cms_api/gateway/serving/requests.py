"""The requests that threads of this process answer, and whether other web processes answer some: messages wait for them."""

import mmap
import os
import threading
import time
from collections.abc import Mapping

#: Environment variables: the descriptor of the memory that web processes share, and the byte in it of one of them.
SHARED, PLACE = "BUSY_DESCRIPTOR", "BUSY_PLACE"
#: Bytes of the memory, one for each process; further processes share those of others.
SIZE = 64
_BUSY = b"\1"
#: Seconds until the other processes are looked at again, and those that their requests are waited for at most.
LOOK_AGAIN, LONGEST_WAIT = 0.0005, 0.02


def share(processes: int) -> tuple[list[int], list[Mapping[str, str]]]:
    """Return the descriptors that web processes inherit, and the environment of each. Without memfd (Linux) nothing is shared."""
    if not hasattr(os, "memfd_create") or processes < 2:
        return [], [{} for _ in range(processes)]
    descriptor = os.memfd_create("busy")
    os.truncate(descriptor, SIZE)
    return [descriptor], [{SHARED: str(descriptor), PLACE: str(number % SIZE)} for number in range(processes)]


class Others:
    """One byte for each web process: 1 while it answers requests. Each process writes its own."""

    def __init__(self, descriptor: int, place: int) -> None:
        self._bytes, self._place = mmap.mmap(descriptor, SIZE), place
        # The process before this one may have been killed while it answered.
        self.set_busy(False)

    @classmethod
    def inherited(cls) -> "Others | None":
        """Return those of the supervisor of this process; None if it has no others."""
        descriptor, place = os.environ.pop(SHARED, ""), os.environ.pop(PLACE, "")
        return cls(int(descriptor), int(place)) if descriptor else None

    def set_busy(self, is_busy: bool) -> None:
        self._bytes[self._place] = is_busy

    def are_busy(self) -> bool:
        found = self._bytes.find(_BUSY)
        if found == self._place:
            found = self._bytes.find(_BUSY, found + 1)
        return found >= 0


class Requests:
    """Counts the requests that threads answer."""

    def __init__(self, others: Others | None = None) -> None:
        self._lock = threading.Lock()
        self._running = 0
        #: When one began while no other was running.
        self._begun = 0.0
        self._none = threading.Event()
        self._none.set()
        self._others = others

    def begin(self) -> None:
        with self._lock:
            self._running += 1
            if self._running == 1:
                self._begun = time.monotonic()
                self._none.clear()
                if self._others is not None:
                    self._others.set_busy(True)

    def end(self) -> None:
        with self._lock:
            self._running -= 1
            if not self._running:
                if self._others is not None:
                    self._others.set_busy(False)
                self._none.set()

    def wait_for_none(self, seconds: float) -> None:
        """Return when none is running here, or after some seconds. Those of others are waited for, too, but not as long."""
        if seconds > 0 and not self._none.is_set():
            self._none.wait(seconds)
        if self._others is not None:
            limit = time.monotonic() + min(seconds, LONGEST_WAIT)
            while self._others.are_busy() and time.monotonic() < limit:
                time.sleep(LOOK_AGAIN)

    def let_begin(self, seconds: float) -> None:
        """Return when none is running here, or some seconds after the first of them began."""
        if not self._none.is_set():
            self._none.wait(max(self._begun + seconds - time.monotonic(), 0))
