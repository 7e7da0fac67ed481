"""Forked processes, which end with their parent, and signals that ask a process to stop."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any

from .processes import die_with_parent, set_name

#: Signals that parents handle in their own way.
_HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def start_fork(name: str, work: Callable[..., object], *arguments: Any, ends_by: signal.Signals = signal.SIGTERM) -> BaseProcess:
    """Start a fork that calls a function. It has this name, and gets a signal when this process dies.

    This process must have no other threads, and no open connections: a connection that two processes share breaks for both.
    """
    process = get_context("fork").Process(target=_begin, args=(os.getpid(), ends_by, name, work, arguments), daemon=False)
    # A signal that arrives before the fork has its own handlers would be lost.
    signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
    return process


def _begin(parent: int, ends_by: signal.Signals, name: str, work: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    for number in _HANDLED:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
    die_with_parent(ends_by)
    # It may have died before.
    if os.getppid() == parent:
        set_name(name)
        work(*arguments)


@contextmanager
def stopped_by_signals(*, within_seconds: int = 0) -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether this process has been asked to stop, until the block ends.

    If `within_seconds` are given, the kernel ends a process that is still there so long after it was asked.
    """
    numbers: list[int] = []

    def note(number: int, _: object) -> None:
        numbers.append(number)
        signal.alarm(within_seconds)

    former = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(numbers)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
