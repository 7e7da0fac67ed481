"""Requests of a process to the system: to end with its parent, to have a name, and to get no more than so much memory."""

import ctypes
import resource
import signal
import sys

_PR_SET_PDEATHSIG, _PR_SET_NAME = 1, 15


def die_with_parent(number: signal.Signals = signal.SIGTERM) -> None:
    """Ask the kernel (Linux) to send this process a signal when its parent dies, even by SIGKILL."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)


def obey_parent_alone() -> None:
    """Let this process end with its parent, and otherwise only by what the parent does.

    A system that stops a service may send SIGTERM to all of its processes, of which some finish what they have begun.
    """
    die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def set_name(name: str) -> None:
    """Let `ps -o comm` show a name (Linux), of which it keeps 15 characters."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode())


def limit_memory(most: int) -> None:
    """Let this process have no more bytes of memory of its own: more raises MemoryError."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
