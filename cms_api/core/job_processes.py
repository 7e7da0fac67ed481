"""Runs each periodic job and each queued task in a process of its own, with a deadline.

One that hangs, crashes or needs too much memory stops no other. The process of the `Scheduler` only looks up what is due, forks a
process for each, and keeps an eye on them. It has no threads, because a process with threads cannot be forked safely. The code of
jobs has been loaded before, so that a fork imports nothing, and shares the memory.
"""

import logging
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any, Protocol

from django.db import close_old_connections, connections

from . import jobs, leases, versions
from .commands import is_unfinished
from .forks import start_fork, stopped_by_signals
from .models import PeriodicJob
from .module import Job
from .processes import limit_memory
from .queued_tasks import QueuedTask, take_task

logger = logging.getLogger(__name__)

#: Seconds between looks for jobs that are due, of which the most frequent is every 15 seconds, and for tasks.
TICK_SECONDS, POLL_SECONDS = 5.0, 0.5
#: Seconds between renewals of the leases, and between notes that the worker is alive.
RENEW_SECONDS = 20.0
#: Jobs run one after the other. Seconds after which one no longer keeps others waiting, and how many may run at once.
OVERTAKEN_SECONDS = 10.0
MAX_JOBS = 4
#: Seconds that a process may take to end once it is told to, and a job before that, if the worker stops.
GRACE_SECONDS = 3.0
#: Bytes of memory of one job or task. One that needs more fails.
MEMORY_BYTES = 1_500_000_000
#: Seconds after its deadline until a process ends even if the scheduler hangs.
ALARM_SECONDS = 30
#: The status of a process that was told to end, as shells count it.
TERMINATED = 128 + signal.SIGTERM


class Claimed(Protocol):
    """Work that this worker alone may do for now."""

    grace_seconds: float

    @property
    def deadline_seconds(self) -> int: ...

    def execute(self) -> object:
        """Do the work, and store what came of it."""

    def renew(self) -> None: ...

    def note_stopped(self, error: str) -> None:
        """Store why the work was ended before it was done."""

    def give_back(self) -> None:
        """Let a worker do the work from its beginning, because this one stops."""


@dataclass
class ClaimedJob:
    job: Job
    row: PeriodicJob
    grace_seconds = GRACE_SECONDS

    @property
    def deadline_seconds(self) -> int:
        return self.job.deadline_seconds

    def execute(self) -> None:
        jobs.execute(self.job, self.row)

    def renew(self) -> None:
        leases.renew(self.row, jobs.LEASE)

    def note_stopped(self, error: str) -> None:
        jobs.note_stopped(self.job, self.row, error)

    def give_back(self) -> None:
        jobs.give_back(self.row)


class Run:
    """A process that does claimed work, and ends with it."""

    def __init__(self, work: Claimed) -> None:
        # A connection that is shared with a fork breaks both.
        connections.close_all()
        self.work = work
        self.started_at = self._renewed_at = time.monotonic()
        self._process = start_fork("job", _execute, work, ends_by=signal.SIGKILL)
        #: Becomes readable when the process has ended.
        self.sentinel = self._process.sentinel

    def has_ended(self) -> bool:
        """Find out whether it has ended; if not, renew the lease of its work, and stop it at its deadline."""
        now, seconds = time.monotonic(), self.work.deadline_seconds
        if not self._process.is_alive():
            if self._process.exitcode in (TERMINATED, -signal.SIGTERM):
                # Not by the scheduler: a system that stops a service may tell all of its processes.
                self.work.give_back()
            elif self._process.exitcode:
                self.work.note_stopped(f"Its process was ended: {_reason(self._process.exitcode)}.")
            return True
        if now > self.started_at + seconds:
            self.stop()
            self.work.note_stopped(f"It took longer than {seconds} seconds.")
            return True
        if now > self._renewed_at + RENEW_SECONDS:
            self._renewed_at = now
            self.work.renew()
        return False

    def interrupt(self) -> None:
        """Stop it, and let another worker do its work."""
        self.stop()
        self.work.give_back()

    def stop(self) -> None:
        """End the process, by SIGTERM first, so that what it has begun can be cleaned up."""
        self._process.terminate()
        self._process.join(GRACE_SECONDS)
        self._process.kill()
        self._process.join()


def _reason(status: int) -> str:
    return signal.strsignal(-status) or f"signal {-status}" if status < 0 else f"status {status}"


def _execute(work: Claimed) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit)
    limit_memory(MEMORY_BYTES)
    # Should the scheduler hang too, the kernel ends this process.
    signal.alarm(work.deadline_seconds + ALARM_SECONDS)
    try:
        work.execute()
    finally:
        connections.close_all()


def _exit(*_: object) -> None:
    raise SystemExit(TERMINATED)


class Scheduler:
    """Runs queued tasks, and what is due of the jobs that a function returns, until it is asked to stop."""

    def __init__(self, find_jobs: Callable[[], Sequence[Job]]) -> None:
        self._find_jobs = find_jobs
        self._runs: list[Run] = []
        self._due: deque[tuple[Job, PeriodicJob]] = deque()
        self._next_tick = self._next_note = 0.0

    def run(self) -> None:
        worker = f"{socket.gethostname()}:{os.getpid()}"
        with stopped_by_signals() as is_stopped:
            try:
                while not is_stopped():
                    self._attempt(lambda: self._run_once(worker))
                    wait([run.sentinel for run in self._runs], POLL_SECONDS)
            finally:
                self._stop()
                self._attempt(lambda: jobs.forget_worker(worker))

    @staticmethod
    def _attempt(step: Callable[[], Any]) -> None:
        try:
            step()
        except Exception:
            logger.exception("The periodic jobs and tasks could not be looked after.")
            time.sleep(POLL_SECONDS)
        finally:
            close_old_connections()

    def _run_once(self, worker: str) -> None:
        self._drop_ended()
        # The records of a restore are left alone until that is finished.
        if is_unfinished():
            return
        now = time.monotonic()
        if now >= self._next_note:
            self._next_note = now + RENEW_SECONDS
            jobs.note_worker(worker)
            jobs.free_parked_jobs()
        if now >= self._next_tick:
            self._next_tick = now + TICK_SECONDS
            versions.forget()
            # Those that are running are leased.
            self._due = deque(jobs.due_jobs(self._find_jobs()))
        while self._due and self._may_start_job(now):
            job, row = self._due.popleft()
            if claimed := jobs.claim_job(job, due_at=row.due_at):
                self._runs.append(Run(ClaimedJob(job, claimed)))
        # Tasks run one after the other.
        if not any(isinstance(run.work, QueuedTask) for run in self._runs) and (task := take_task()):
            self._runs.append(Run(task))

    def _drop_ended(self) -> None:
        self._runs = [run for run in self._runs if not run.has_ended()]

    def _may_start_job(self, now: float) -> bool:
        busy = [run for run in self._runs if isinstance(run.work, ClaimedJob)]
        return len(busy) < MAX_JOBS and all(now > run.started_at + OVERTAKEN_SECONDS for run in busy)

    def _stop(self) -> None:
        """Let work end that is about to, and stop the rest."""
        asked_at = time.monotonic()
        while self._runs:
            self._attempt(self._drop_ended)
            now = time.monotonic()
            for run in [each for each in self._runs if now > asked_at + each.work.grace_seconds]:
                self._runs.remove(run)
                self._attempt(run.interrupt)
            wait([run.sentinel for run in self._runs], 0.1)


def run_in_fork(job: Job, row: PeriodicJob) -> None:
    """Run a leased job in a process of its own, and wait for it, but no longer than its deadline."""
    run = Run(ClaimedJob(job, row))
    try:
        while not run.has_ended():
            wait([run.sentinel], 0.5)
    except BaseException:
        run.interrupt()
        raise
