"""Runs a function in a forked process."""

import gc
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

from cms_api.core.forks import start_fork


def in_a_fork(work: Callable[[], Any]) -> Any:
    """Return the result of a function in a process that is forked as those of a site are."""
    ours, theirs = get_context("fork").Pipe()

    def run() -> None:
        found = work()
        gc.collect()
        theirs.send(found)

    child = start_fork("test", run)
    try:
        assert ours.poll(20), "The process did not answer."
        return ours.recv()
    finally:
        child.join(20)
