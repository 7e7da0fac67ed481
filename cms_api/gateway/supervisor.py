"""Keeps processes running, replaces them on SIGHUP, and stops them however this one ends.

`python -m cms_api.gateway.supervisor LOGGING ...` is what `manage.py serve` and `web` become: it logs as its first argument says
(for `dictConfig`), runs `cms_api.gateway.loader` with the others, and lasts as long as the site: it is small, without Django.
"""

import json
import logging.config
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.process import BaseProcess

from cms_api.core.forks import start_fork, stopped_by_signals
from cms_api.core.processes import set_name

logger = logging.getLogger("cms_api.gateway.supervisor")

#: Seconds that a child may take to exit by itself; web processes take less.
STOP_SECONDS = 30
#: Seconds that a replacement may take until its web processes report that they are ready.
START_SECONDS = 60.0
#: A child that dies is restarted at once, and a second later for each further death in a row, up to this many seconds.
MAX_PAUSE_SECONDS = 30.0
#: The environment variable with the descriptor to which each web process writes a byte when it is ready.
READY = "READY_DESCRIPTOR"


class Child:
    """A fork of this process that is kept running."""

    def __init__(self, name: str, work: Callable[[], object], *, stop_seconds: float = STOP_SECONDS) -> None:
        self.name, self.work, self.stop_seconds = name, work, stop_seconds
        self._process: BaseProcess | None = None
        self._deaths, self._started_at, self._not_before = 0, 0.0, 0.0

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.is_alive()

    def start(self) -> None:
        self._process = start_fork(self.name, self._lead)
        self._started_at = time.monotonic()

    def _lead(self) -> None:
        # A process group of its own, so that whatever it starts can be killed with it.
        os.setsid()
        self.work()

    def keep_running(self) -> None:
        """Restart the child if it has died."""
        if self.is_alive:
            return
        now = time.monotonic()
        if self._process is not None:
            self.kill()
            self._deaths = 1 if now - self._started_at > 60 else self._deaths + 1
            self._not_before = now + min(self._deaths - 1, MAX_PAUSE_SECONDS)
            logger.warning("The process %r ended with status %s; it is started again.", self.name, self._process.exitcode)
            self._process = None
        if now >= self._not_before:
            self.start()

    def terminate(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def kill(self) -> None:
        """Kill whatever is left of the child's process group."""
        if self._process is not None and self._process.pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.join()


def stop(children: Sequence[Child]) -> None:
    """Ask children to end, and kill what is left of them after a while."""
    for child in children:
        child.terminate()
    begun = time.monotonic()
    while any(child.is_alive and time.monotonic() < begun + child.stop_seconds for child in children):
        time.sleep(0.05)
    for child in children:
        child.kill()


def supervise(
    children: list[Child],
    *,
    before_stop: Callable[[], object] = lambda: None,
    replace: Callable[[Child, Callable[[], bool]], Child] | None = None,
) -> None:
    """Run the children until this process is told to stop, then stop them; on SIGHUP replace them, if a function does so."""
    hung_up: list[int] = []
    if replace:
        signal.signal(signal.SIGHUP, lambda number, _: hung_up.append(number))
    with stopped_by_signals() as is_stopped:
        try:
            while not is_stopped():
                if replace and hung_up:
                    hung_up.clear()
                    children[:] = [replace(child, is_stopped) for child in children]
                for child in children:
                    child.keep_running()
                time.sleep(0.2)
        finally:
            before_stop()
            stop(children)


def replace_loader(former: Child, is_stopped: Callable[[], bool], *, web_processes: int) -> Child:
    """Start a new loader, and stop the former one once the new one's web processes serve; else keep the former one."""
    ready, report = os.pipe()
    os.set_inheritable(report, True)
    os.environ[READY] = str(report)
    new = Child(former.name, former.work, stop_seconds=former.stop_seconds)
    new.start()
    del os.environ[READY]
    os.close(report)
    ends, missing = time.monotonic() + START_SECONDS, web_processes
    while missing > 0 and new.is_alive and time.monotonic() < ends and not is_stopped():
        if select.select([ready], [], [], 0.2)[0]:
            missing -= len(os.read(ready, missing))
    os.close(ready)
    if missing > 0 and not is_stopped():
        logger.error("The new processes did not start; the former ones stay.")
    kept, ended = (former, new) if missing > 0 else (new, former)
    stop([ended])
    return kept


def main(logs: str, descriptor: str, web_processes: str, *arguments: str) -> None:
    set_name("supervisor")
    # Of glibc: what one thread frees is there for the others. Web processes take a tenth less after some minutes of requests.
    os.environ.setdefault("MALLOC_ARENA_MAX", "1")
    logging.config.dictConfig(json.loads(logs))
    command = [sys.executable, "-m", "cms_api.gateway.loader", descriptor, web_processes, *arguments]
    # Its own children may take as long as any to end.
    loader = Child("loader", partial(os.execv, sys.executable, command), stop_seconds=STOP_SECONDS + 5)
    replace = partial(replace_loader, web_processes=int(web_processes))
    supervise([loader], before_stop=partial(os.close, int(descriptor)), replace=replace)


if __name__ == "__main__":
    main(*sys.argv[1:])
