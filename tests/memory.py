"""How much memory a call takes in this process."""

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def limited_memory(most: int) -> Iterator[None]:
    """Fail if Python has needed more bytes at once in the block than before it."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= most, f"{peak:,} bytes"
