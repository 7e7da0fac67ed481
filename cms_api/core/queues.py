"""Background work that never ends: what a declared `Queue` does with due rows, and the threads of a worker that run it."""

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

from . import outages, versions
from .leases import LOST, Retried, Stop, claims, fail, free_parked, never, postpone, succeed

logger = logging.getLogger(__name__)

R = TypeVar("R", bound=Retried)

#: The periodic job of a queue stops after so many seconds, because other jobs wait for it.
JOB_SECONDS = 20.0
#: After a poll that failed, the next one follows so many seconds later, because the database is probably away.
FAILED_POLL_SECONDS = 5.0
#: While the database refuses to record that work is done, a worker tries again for so many seconds.
RECORD_SECONDS = 20.0
#: A worker pauses for so many seconds between these attempts.
RECORD_PAUSE_SECONDS = 0.5
#: Every so many seconds, a worker looks for rows that wait too long because a clock was ahead when their next attempt was set.
CLOCK_CHECK_SECONDS = 60.0
#: After a poll that found nothing, a worker pauses for so many seconds. All wake-ups in that time cause a single poll.
GATHER_SECONDS = 0.005


class Failed(Exception):
    """Raised when the work on a row fails.

    It says why. With `final`, a retry would fail, too. With `outage`, the work on other rows would fail, too. The next attempt
    follows after the delay of the queue, or after `at_least` if that is longer.
    """

    def __init__(self, error: str, *, final: bool = False, outage: bool = False, at_least: timedelta = timedelta(0)) -> None:
        super().__init__(error)
        self.final, self.outage, self.at_least = final, outage, at_least


@dataclass
class Round:
    """The result of a task, which has processed due work."""

    #: How many times the task attempted work on a row.
    attempts: int = 0
    #: Whether the service that the work depends on was available. If it was not, the task ended early.
    reachable: bool = True
    #: Whether the worker should poll again at once, since more work may be due. Otherwise it waits for the next regular poll.
    goes_on: bool = True


Task = Callable[[], Round]


class Work:
    """The work of a declared `Queue`. Threads of a worker run it all the time; a call runs it for JOB_SECONDS."""

    #: How many tasks run at the same time.
    threads = 1
    #: Seconds between two polls.
    pause = 0.5
    #: Seconds that a thread waits after an outage.
    outage = 30.0

    def take(self, stop: Stop) -> Task | None:
        """Claim work that is due, and return a task that does it; None if no work is due.

        The task may do more work that is due, until `stop` returns true. The caller has discarded the snapshot of the versions,
        so that cached values are current.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close the connections that stay open between tasks. This is called when no task follows."""

    def free_parked(self) -> None:
        """Make rows due whose next attempt was set by a clock that was ahead; see `leases.free_parked`."""

    def run_due(self, *, stop: Stop = never) -> Round:
        """Do all work that is due now, in this thread. An outage ends this early."""
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
    """Calls a function, which may raise `Failed`, for each due row of a model, the longest due first.

    An outage of the site's own disk, storage or database counts as no failure of the row.
    """

    model: type[R]
    work: Callable[[R], None] | None = None
    _: KW_ONLY
    #: How long a worker has the exclusive right to a row. It must be longer than any attempt.
    lease: timedelta
    #: The delays after the first failure, the second one, and so on. A failure after the last delay is final.
    delays: Sequence[timedelta]
    #: A row fails for good if so many successive workers have died while they worked on it.
    max_lost: int = 5
    #: The argument of that name for `succeed`.
    fenced: bool = True
    threads: int = 1
    #: The ids of rows whose work is done, but which could not be recorded as done.
    _unrecorded: set[Any] = field(default_factory=set, init=False, repr=False)

    def session(self) -> AbstractContextManager[Callable[[R], None]]:
        """Yield the function for one row. Override this if the function needs what all rows share, such as a connection."""
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
        """Attempt the work on a row. Return false if there is an outage."""
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
            outage = outages.find(problem)
            # A host may be busy with this very row: such attempts come to an end.
            if outage and not issubclass(outage, outages.Busy):
                postpone(row, timedelta(seconds=self.outage), outage.message)
                return False
            fail(row, repr(problem), self.delays)
            return True
        self._record(row)
        return True

    def _record(self, row: R) -> None:
        """Record that the work on a row is done.

        Unrecorded work would be done twice, so this tries again while the database refuses. If that takes too long, the id of the
        row is kept: when this worker next claims the row, it records the success instead of doing the work again.
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
    """Runs work in threads of its own until it is stopped. One thread polls, and as many as `work.threads` run tasks."""

    def __init__(self, name: str, work: Work, *, is_on: Callable[[], bool] = lambda: True) -> None:
        """Prepare the threads. The thread that polls calls `is_on` each time, and takes no work while it returns false."""
        self.name = name
        self._work, self._is_on = work, is_on
        self._stop, self._wakeup = threading.Event(), threading.Event()
        self._idle = threading.BoundedSemaphore(work.threads)
        self._pool = ThreadPoolExecutor(work.threads, thread_name_prefix=name)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Poll now, because work is due."""
        self._wakeup.set()

    def stop(self) -> None:
        """Start no more attempts, and wait until the running ones have ended."""
        self._stop.set()
        self.wake()
        self._thread.join()
        self._pool.shutdown()
        self._work.close()

    def _run(self) -> None:
        next_clock_check = 0.0
        while self._idle.acquire():
            # The event is cleared before the poll. A row that becomes due during the poll sets it again, and causes another poll.
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
            # The database is busy or away. That is no outage of the service that the work depends on, so the pause is short.
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
                # Rows may have become due after the task last looked for some, while no thread was free to poll.
                self.wake()
