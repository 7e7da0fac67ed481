"""Keeps the processes of `manage.py serve` and `web` running, replaces them on SIGHUP, and stops them however this one ends."""

import logging
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from cms_api.core.processes import die_with_parent

logger = logging.getLogger(__name__)

#: Seconds that a child may take to exit by itself.
GRACE_SECONDS = 15.0
#: Seconds that a replacement may take until it reports that it is ready.
START_SECONDS = 60.0
#: A child that dies is restarted at once, and a second later for each further death in a row, up to this many seconds.
MAX_PAUSE_SECONDS = 30.0
#: The environment variable with the descriptor on which a child reports that it is ready.
READY = "READY_DESCRIPTOR"


def report_ready() -> None:
    """Tell the supervisor, if there is one, that this process serves."""
    if descriptor := os.environ.pop(READY, ""):
        os.close(int(descriptor))


@dataclass
class Child:
    """A process that is kept running. `descriptors` are inherited by it; one that `reports` calls `report_ready`."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    descriptors: Sequence[int] = ()
    reports: bool = False
    process: subprocess.Popen[bytes] | None = None
    deaths: int = 0
    started_at: float = 0.0
    not_before: float = field(default=0.0)

    def start(self) -> int:
        """Start the process; return a descriptor that ends when it is ready."""
        ready, report = os.pipe()
        # A process group of its own, so that whatever it forks can be killed with it.
        self.process = subprocess.Popen(
            self.command,
            env={**os.environ, **self.environment, **({READY: str(report)} if self.reports else {})},
            pass_fds=(*self.descriptors, *([report] if self.reports else [])),
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
        os.close(report)
        self.started_at = time.monotonic()
        return ready

    def keep_running(self) -> None:
        """Restart the child if it has died."""
        now = time.monotonic()
        if self.process is not None:
            if self.process.poll() is None:
                return
            self.kill()
            self.deaths = 1 if now - self.started_at > 60 else self.deaths + 1
            self.not_before = now + min(self.deaths - 1, MAX_PAUSE_SECONDS)
            logger.warning("The %s ended with status %s; it is started again.", self.name, self.process.returncode)
            self.process = None
        if now >= self.not_before:
            os.close(self.start())

    def replace(self) -> None:
        """Start a new process, and stop the former one when the new one is ready; keep the former if it never is."""
        former, ready = self.process, self.start()
        try:
            started = bool(select.select([ready], [], [], START_SECONDS)[0]) and self.process.poll() is None  # type: ignore[union-attr]
        finally:
            os.close(ready)
        if not started:
            logger.error("The new %s did not start; the former one stays.", self.name)
            self.kill()
            self.process = former
            return
        if former is not None:
            _stop([former])

    def kill(self) -> None:
        """Kill whatever is left of the child's process group."""
        if self.process is not None:
            _kill(self.process)


def _stop(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask processes to end, and kill what is left of them after a while."""
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline and any(process.poll() is None for process in processes):
        time.sleep(0.05)
    for process in processes:
        _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def supervise(children: list[Child], *, before_stop: Callable[[], None]) -> None:
    """Run the children until this process is told to stop, then stop them; on SIGHUP replace one after the other."""
    stopping = replacing = False

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True

    def replace(*_: object) -> None:
        nonlocal replacing
        replacing = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    signal.signal(signal.SIGHUP, replace)
    try:
        while not stopping:
            if replacing:
                replacing = False
                for child in children:
                    if not stopping:
                        child.replace()
            for child in children:
                child.keep_running()
            time.sleep(0.2)
    finally:
        try:
            before_stop()
        finally:
            _stop([child.process for child in children if child.process])
