"""Keeps the web server and the worker of `manage.py serve` running, and stops both however this process ends."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

#: Seconds that a child may take to exit by itself.
GRACE = 15.0
#: A child that dies is restarted at once, and a second later for each further death in a row, up to this many seconds.
MAX_PAUSE = 30.0
_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Ask the kernel (Linux) to end this process when its parent dies, even by SIGKILL."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


@dataclass
class Child:
    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    deaths: int = 0
    started_at: float = 0.0
    not_before: float = field(default=0.0)

    def start(self) -> None:
        # A process group of its own, so that whatever it forks can be killed with it.
        self.process = subprocess.Popen(self.command, start_new_session=True, preexec_fn=die_with_parent)
        self.started_at = time.monotonic()

    def keep_running(self, say: Callable[[str], None]) -> None:
        """Restart the child if it has died."""
        now = time.monotonic()
        if self.process is not None:
            if self.process.poll() is None:
                return
            self.kill()
            self.deaths = 1 if now - self.started_at > 60 else self.deaths + 1
            self.not_before = now + min(self.deaths - 1, MAX_PAUSE)
            say(f"The {self.name} ended with status {self.process.returncode}; it is started again.")
            self.process = None
        if now >= self.not_before:
            self.start()

    def signal(self, number: signal.Signals) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """Kill whatever is left of the child's process group."""
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)


def supervise(children: list[Child], say: Callable[[str], None]) -> None:
    """Run the children until this process is told to stop, then stop them in order."""
    stopping = False

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    try:
        while not stopping:
            for child in children:
                child.keep_running(say)
            time.sleep(0.2)
    finally:
        for child in children:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and any(child.process and child.process.poll() is None for child in children):
            time.sleep(0.05)
        for child in children:
            child.kill()
