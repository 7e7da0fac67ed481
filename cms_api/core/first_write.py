"""Prepares a process for its first transaction, so that nothing is imported or set up in it while others wait for its locks.

Connections call `prepare_to_write` before they begin a transaction: commands that write nothing load nothing. Web processes and
workers are forked from a process that has called `prepare_at_start`, before anybody waits.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from django.apps import apps
from django.db import DatabaseError

_lock = threading.RLock()
_preparations: list[Callable[[], object]] = []
#: Whether the process is prepared, or does without.
_is_prepared = False
_is_preparing = False


def before_first_write(prepare: Callable[[], object]) -> None:
    """Let a function be called once, before the first transaction of this process."""
    _preparations.append(prepare)


def prepare_to_write() -> None:
    """Load what services import or look up while they write, unless that has been done."""
    global _is_prepared, _is_preparing
    # Before the apps are ready, nothing can be loaded.
    if _is_prepared or not apps.ready:
        return
    # Other threads wait until everything is there. The one that prepares comes here again if it begins a transaction.
    with _lock:
        if _is_prepared or _is_preparing:
            return
        _is_preparing = True
        try:
            for prepare in _preparations:
                prepare()
            _is_prepared = True
        finally:
            _is_preparing = False


def prepare_at_start() -> None:
    """Prepare a process that is about to serve or work. While the database is away, the first transaction does it."""
    with suppress(DatabaseError):
        prepare_to_write()


@contextmanager
def skip_preparing() -> Iterator[None]:
    """Prepare nothing in the block: migrations call no services."""
    global _is_prepared
    former, _is_prepared = _is_prepared, True
    try:
        yield
    finally:
        _is_prepared = former
