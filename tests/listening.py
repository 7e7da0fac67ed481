"""A listener to wake-ups in this process."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cms_api.core.wakeups import Listener, wake

from .waiting import until


@contextmanager
def listening(functions: dict[str, Callable[[], None]]) -> Iterator[None]:
    """Listen until the block ends; wake-ups arrive when it begins."""
    ready = threading.Event()
    listener = Listener({**functions, "ready": ready.set})

    def is_awake() -> bool:
        wake("ready")
        return ready.wait(0.01)

    listener.start()
    try:
        until(is_awake)
        yield
    finally:
        listener.stop()
