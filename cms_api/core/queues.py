"""Continuous background work: the work that a `Queue` declares, and the worker's threads that run it."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, field
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import Any, Generic, TypeVar

from django.db import Error, close_old_connections

from . import versions
from .leases import LOST, Retried, Stop, claims, fail, free_parked, never, succeed

logger = logging.getLogger(__name__)

R = TypeVar("R", bound=Retried)

#: How long a queue's periodic job runs, in seconds: other jobs wait for it.
JOB_SECONDS = 20.0
#: Seconds until the next poll after one that failed: the database is probably away.
FAILED_POLL_SECONDS = 5.0
#: For so many seconds a worker tries to record what it has done while the database refuses, with pauses of so many.
RECORD_SECONDS = 20.0
RECORD_PAUSE_SECONDS = 0.5
#: Seconds between looks for rows that only a wrong clock has made wait.
CLOCK_CHECK_SECONDS = 60.0
#: Seconds after a poll that found nothing in which wake-ups are gathered: they cause at most 200 such polls a second.
GATHER_SECONDS = 0.005


class Failed(Exception):
    """Raised when work on a row fails: why, whether a retry would fail too (`final`), and whether other rows would (`outage`)."""

    def __init__(self, error: str, *, final: bool = False, outage: bool = False, at_least: timedelta = timedelta(0)) -> None:
        super().__init__(error)
        self.final, self.outage, self.at_least = final, outage, at_least


@dataclass
class Round:
    """The result of processing due work: the number of attempts, and False if an outage ended it."""

    attempts: int = 0
    reachable: bool = True
    #: Whether more may be due at once; if not, the next poll is early enough for it.
    goes_on: bool = True


Task = Callable[[], Round]


class Work:
    """The work of a declared `Queue`. A worker's threads run it continuously; calling it runs it for a limited time."""

    #: The number of concurrent tasks, and the seconds between two polls and after an outage.
    threads = 1
    pause = 0.5
    outage = 30.0

    def take(self, stop: Stop) -> Task | None:
        """Claim something that is due; None if nothing is. Calling the task processes it, and possibly more, until `stop`.

        It is called without a snapshot of the versions, so that what is cached is current.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close what is kept open between tasks; called when no task follows."""

    def free_parked(self) -> None:
        """Make due what waits for a time that a clock which was ahead has set; see `leases.free_parked`."""

    def run_due(self, *, stop: Stop = never) -> Round:
        """Process everything that is due now in this thread; an outage ends it early."""
        found = Round()
        self.free_parked()
        try:
            while found.reachable and not stop():
                versions.forget()
                if (task := self.take(stop)) is None:
                    break
                done = task()
                found = Round(found.attempts + done.attempts, done.reachable)
        finally:
            self.close()
        return found

    def __call__(self) -> None:
        ends = time.monotonic() + JOB_SECONDS
        self.run_due(stop=lambda: time.monotonic() > ends)


@dataclass(eq=False)
class RowWork(Work, Generic[R]):
    """Processes due rows of a model, the longest due first, with a function that may raise `Failed`."""

    model: type[R]
    work: Callable[[R], None] | None = None
    _: KW_ONLY
    #: Longer than any attempt.
    lease: timedelta
    #: The delays after the first, second, ... failure; a failure after the last one is permanent.
    delays: Sequence[timedelta]
    #: How many workers in a row may die on a row before it is given up.
    max_lost: int = 5
    #: Passed to `succeed`.
    fenced: bool = True
    threads: int = 1
    #: The ids of rows whose work is done but could not be recorded.
    _unrecorded: set[Any] = field(default_factory=set, init=False, repr=False)

    def session(self) -> AbstractContextManager[Callable[[R], None]]:
        """Yield the function for one row; override it if rows share something, such as a connection."""
        assert self.work is not None, "Give a function for one row, or override `session`."
        return nullcontext(self.work)

    def free_parked(self) -> None:
        free_parked(self.model._default_manager.order_by(), self.lease, self.delays)

    def take(self, stop: Stop) -> Task | None:
        rows = claims(self.model._default_manager.order_by("next_attempt_at", "pk"), self.lease, stop=stop)
        first = next(rows, None)
        return None if first is None else partial(self._attempt_all, chain((first,), rows))

    def _attempt_all(self, rows: Iterator[R]) -> Round:
        found = Round()
        with self.session() as work:
            for row in rows:
                found.attempts += 1
                if not self._attempt(row, work):
                    found.reachable = False
                    break
        return found

    def _attempt(self, row: R, work: Callable[[R], None]) -> bool:
        """Attempt a row; False in an outage."""
        if row.lost > self.max_lost:
            fail(row, LOST, self.delays, final=True)
            return True
        if row.pk in self._unrecorded and row.lost > 1:
            self._record(row)
            return True
        try:
            work(row)
        except Failed as failure:
            fail(row, str(failure), self.delays, final=failure.final, at_least=failure.at_least)
            return not failure.outage
        except Exception as problem:
            logger.exception("The attempt of %s %s failed.", self.model._meta.label, row.pk)
            fail(row, repr(problem), self.delays)
            return True
        self._record(row)
        return True

    def _record(self, row: R) -> None:
        """Record that the work on a row is done; while the database refuses, try again, since the work would be done twice.

        If it refuses for too long, this worker does so when it next claims the row, instead of the work.
        """
        ends = time.monotonic() + min(RECORD_SECONDS, self.lease.total_seconds() / 2)
        while True:
            try:
                succeed(row, fenced=self.fenced)
                break
            except Error:
                if time.monotonic() > ends:
                    self._unrecorded.add(row.pk)
                    raise
                logger.warning("%s %s could not be recorded as done.", self.model._meta.label, row.pk, exc_info=True)
                close_old_connections()
                time.sleep(RECORD_PAUSE_SECONDS)
        self._unrecorded.discard(row.pk)


class Runner:
    """Runs work in its own threads until it is stopped: one thread polls, up to `work`'s number of others run the tasks."""

    def __init__(self, name: str, work: Work, *, is_on: Callable[[], bool] = lambda: True) -> None:
        """`is_on` is checked before each poll."""
        self.name = name
        self._work, self._is_on = work, is_on
        self._stop, self._wakeup = threading.Event(), threading.Event()
        self._idle = threading.BoundedSemaphore(work.threads)
        self._pool = ThreadPoolExecutor(work.threads, thread_name_prefix=name)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Poll now: there is work."""
        self._wakeup.set()

    def stop(self) -> None:
        """Start no more attempts and wait for the running ones."""
        self._stop.set()
        self.wake()
        self._thread.join()
        self._pool.shutdown()
        self._work.close()

    def _run(self) -> None:
        next_clock_check = 0.0
        while self._idle.acquire():
            # Before the poll, so that rows which become due after it wake again.
            self._wakeup.clear()
            if self._stop.is_set():
                break
            task, pause = None, self._work.pause
            try:
                versions.forget()
                is_on = self._is_on()
                if is_on and time.monotonic() >= next_clock_check:
                    next_clock_check = time.monotonic() + CLOCK_CHECK_SECONDS
                    self._work.free_parked()
                task = self._work.take(self._stop.is_set) if is_on else None
            except Exception:
                logger.exception("%s: what is due could not be looked up.", self.name)
                pause = max(pause, FAILED_POLL_SECONDS)
            if task is not None:
                self._pool.submit(self._do, task)
                continue
            self._idle.release()
            close_old_connections()
            self._stop.wait(GATHER_SECONDS)
            self._wakeup.wait(pause)

    def _do(self, task: Task) -> None:
        done, pause = Round(reachable=False), self._work.outage
        try:
            done = task()
        except Error:
            # The database is busy or away: what the work reaches is not.
            logger.exception("%s: what is due could not be done.", self.name)
            pause = min(pause, FAILED_POLL_SECONDS)
        except Exception:
            logger.exception("%s: what is due could not be done.", self.name)
        finally:
            close_old_connections()
            if not done.reachable:
                self._stop.wait(pause)
            self._idle.release()
            if done.goes_on:
                # No poll has found rows that became due when the task no longer looked, but still had its lease.
                self.wake()
