"""Runs periodic jobs apart from everything else, each with a deadline: one that hangs or needs too much memory stops no other.

A worker forks the process of a `JobScheduler` before it starts threads, because a process with threads cannot be forked safely.
The scheduler only looks up what is due and keeps an eye on its runners, which it forks. A runner runs one job after the other, so
that a site mostly has a single one. While a job takes long, another runner takes the rest. A runner is replaced after a failure.
"""

import logging
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from django.db import connections

from . import jobs, leases, versions
from .models import PeriodicJob
from .module import Job
from .processes import die_with_parent, limit_memory

logger = logging.getLogger(__name__)

#: Seconds between looks for what is due; the most frequent job is due every 15.
TICK_SECONDS = 5.0
#: Seconds between renewals of the leases, and between notes that the worker is alive.
RENEW_SECONDS = 20.0
#: Seconds that a job may take before another runner begins the next one, and how many runners there may be.
NEXT_RUNNER_SECONDS = 10.0
MAX_RUNNERS = 4
#: Seconds that a further runner waits for something to do.
IDLE_SECONDS = 60.0
#: Seconds that a job may take to end: once it is told to, and before that, if the worker stops.
GRACE_SECONDS = 3.0
#: Bytes of memory of a runner. A job that needs more fails.
MEMORY_BYTES = 1_500_000_000
#: Seconds after its deadline until a job ends even if the scheduler hangs.
ALARM_SECONDS = 30

_FORK = get_context("fork")


class JobRunner:
    """A process that runs the jobs it is given, one after the other. Its task is None while it waits."""

    @dataclass
    class Task:
        job: Job
        row: PeriodicJob
        started_at: float
        renewed_at: float

    def __init__(self) -> None:
        # A connection that is shared with a fork breaks both.
        connections.close_all()
        self._pipe, theirs = _FORK.Pipe()
        self._process: BaseProcess = _FORK.Process(target=_serve, args=(self._pipe, theirs), name="jobs", daemon=False)
        self._process.start()
        theirs.close()
        self.task: JobRunner.Task | None = None
        self.idle_since = time.monotonic()
        self._ends = False

    @property
    def handles(self) -> tuple[Connection, int]:
        """Return the handles that become readable when something has happened: see `multiprocessing.connection.wait`."""
        return self._pipe, self._process.sentinel

    @property
    def is_usable(self) -> bool:
        return not self._ends and self._process.is_alive()

    def start(self, job: Job, row: PeriodicJob) -> None:
        now = time.monotonic()
        self.task = self.Task(job, row, now, now)
        # If it has died meanwhile, `update` finds out.
        with suppress(OSError):
            self._pipe.send((job, row))

    def update(self) -> None:
        """Find out whether the task has ended, renew its lease, and stop it at its deadline."""
        task = self.task
        if task is None:
            return
        now = time.monotonic()
        if self._has_answered():
            self.task, self.idle_since = None, now
        elif not self._process.is_alive():
            self.task = None
            jobs.note_stopped(task.job, task.row, f"Its process was ended: {_reason(self._process.exitcode)}.")
        elif now > task.started_at + task.job.deadline_seconds:
            self.task = None
            self.stop()
            jobs.note_stopped(task.job, task.row, f"It took longer than {task.job.deadline_seconds} seconds.")
        elif now > task.renewed_at + RENEW_SECONDS:
            task.renewed_at = now
            leases.renew(task.row, jobs.LEASE)

    def _has_answered(self) -> bool:
        try:
            if not self._pipe.poll():
                return False
            # It ends after a job that has failed.
            self._ends = not self._pipe.recv()
        except (EOFError, OSError):
            return False
        return True

    def interrupt(self) -> None:
        """Stop it, and let another worker run its job at once."""
        task, self.task = self.task, None
        self.stop()
        if task is not None:
            jobs.give_back(task.row)

    def stop(self) -> None:
        """End the process, by SIGTERM first, so that what it has begun can be cleaned up."""
        self._ends = True
        self._process.terminate()
        self._process.join(GRACE_SECONDS)
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _reason(status: int | None) -> str:
    return signal.strsignal(-status) or f"signal {-status}" if status is not None and status < 0 else f"status {status}"


def _serve(ours: Connection, pipe: Connection) -> None:
    """The process of a runner: answer whether each job that is sent has succeeded; end after one that has not."""
    ours.close()
    die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _exit)
    limit_memory(MEMORY_BYTES)
    has_succeeded = True
    with suppress(EOFError, OSError):
        while has_succeeded:
            job, row = pipe.recv()
            # Should the scheduler hang too, the kernel ends this process.
            signal.alarm(job.deadline_seconds + ALARM_SECONDS)
            try:
                has_succeeded = jobs.execute(job, row)
            finally:
                signal.alarm(0)
                connections.close_all()
            pipe.send(has_succeeded)


def _exit(*_: object) -> None:
    raise SystemExit(1)


@contextmanager
def stopped_by_signals() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether this process has been asked to stop, until the block ends."""
    numbers: list[int] = []
    former = {
        number: signal.signal(number, lambda number, _: numbers.append(number)) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield lambda: bool(numbers)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


class JobScheduler:
    """Runs what is due of the jobs that a function returns, until it is asked to stop."""

    def __init__(self, find_jobs: Callable[[], Sequence[Job]]) -> None:
        self._find_jobs = find_jobs
        self._runners: list[JobRunner] = []
        self._due: deque[tuple[Job, PeriodicJob]] = deque()
        self._worker = f"{socket.gethostname()}:{os.getpid()}"
        self._next_tick = self._next_note = 0.0

    def run(self) -> None:
        """Work until a signal comes, or the parent has died."""
        die_with_parent()
        parent = os.getppid()
        with stopped_by_signals() as is_stopped:
            try:
                while not is_stopped() and os.getppid() == parent:
                    self._attempt(self._run_once)
                    self._wait(1.0)
            finally:
                self._stop()

    @staticmethod
    def _attempt(step: Callable[[], Any]) -> None:
        try:
            step()
        except Exception:
            logger.exception("The periodic jobs could not be looked after.")
        finally:
            # A connection that the database has closed must not be reused, and none may be shared with a fork.
            connections.close_all()

    def _wait(self, seconds: float) -> None:
        handles: list[Any] = [each for runner in self._runners if runner.task for each in runner.handles]
        until_tick = max(self._next_tick - time.monotonic(), 0.05)
        if handles:
            wait(handles, min(seconds, until_tick))
        else:
            time.sleep(min(seconds, until_tick))

    def _update_runners(self) -> None:
        for runner in self._runners:
            runner.update()

    def _run_once(self) -> None:
        self._update_runners()
        now = time.monotonic()
        self._drop_runners(now)
        if now >= self._next_note:
            self._next_note = now + RENEW_SECONDS
            jobs.note_worker(self._worker)
            jobs.free_parked_jobs()
        if now >= self._next_tick:
            self._next_tick = now + TICK_SECONDS
            versions.forget()
            # Those that are running are leased.
            self._due = deque(jobs.due_jobs(self._find_jobs()))
        self._start_due(now)

    def _drop_runners(self, now: float) -> None:
        """Forget runners that have ended, and end those that nobody needs, but for one."""
        for place, runner in enumerate(list(self._runners)):
            is_needed = place == 0 or now < runner.idle_since + IDLE_SECONDS
            if runner.task is None and not (runner.is_usable and is_needed):
                runner.stop()
                self._runners.remove(runner)

    def _start_due(self, now: float) -> None:
        while self._due and (runner := self._free_runner(now)):
            job, row = self._due.popleft()
            claimed = jobs.claim_job(job, due_at=row.due_at)
            if claimed is not None:
                runner.start(job, claimed)

    def _free_runner(self, now: float) -> JobRunner | None:
        """Return a runner that waits; a new one if the others have been busy with the same job for long; else None."""
        for runner in self._runners:
            if runner.task is None and runner.is_usable:
                return runner
        busy = [runner.task for runner in self._runners if runner.task]
        if len(busy) >= MAX_RUNNERS or any(now < task.started_at + NEXT_RUNNER_SECONDS for task in busy):
            return None
        self._runners.append(JobRunner())
        return self._runners[-1]

    def _stop(self) -> None:
        """Let jobs end that are about to, and stop the others."""
        self._due.clear()
        ends = time.monotonic() + GRACE_SECONDS
        while any(runner.task for runner in self._runners) and time.monotonic() < ends:
            self._attempt(self._update_runners)
            self._wait(0.1)
        for runner in self._runners:
            self._attempt(runner.interrupt)
        self._attempt(lambda: jobs.forget_worker(self._worker))


def start_scheduler(find_jobs: Callable[[], Sequence[Job]]) -> BaseProcess:
    """Fork the process of a `JobScheduler`, and return it. Call it before this process starts threads."""
    connections.close_all()
    process = _FORK.Process(target=_schedule, args=(find_jobs,), name="job scheduler", daemon=False)
    process.start()
    return process


def _schedule(find_jobs: Callable[[], Sequence[Job]]) -> None:
    JobScheduler(find_jobs).run()


@contextmanager
def running_apart() -> Iterator[Callable[[Job, PeriodicJob], None]]:
    """Yield a function that runs a leased job in another process, and waits for it, but no longer than its deadline."""
    runners: list[JobRunner] = []

    def run(job: Job, row: PeriodicJob) -> None:
        if not (runners and runners[-1].is_usable):
            runners.append(JobRunner())
        runner = runners[-1]
        runner.start(job, row)
        while runner.task is not None:
            wait(runner.handles, 0.5)
            runner.update()

    try:
        yield run
    finally:
        for runner in runners:
            runner.interrupt()
