"""Wake-ups: every worker of a queue gets one when a transaction is committed, and none when it is rolled back."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from cms_api.core import wakeups
from cms_api.core.queues import Round, Runner, Task, Work
from cms_api.core.wakeups import Listener, wake
from cms_api.webhooks.services.endpoints import disable_endpoint, enable_endpoint
from tests.builders import make_endpoint
from tests.listening import listening
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)

on_pipes = pytest.mark.skipif(connection.vendor == "postgresql", reason="PostgreSQL notifies.")
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has pipes.")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.VAR_DIR = tmp_path
    return tmp_path / "wakeups"


class Worker:
    """Counts its wake-ups of the queue `sent`."""

    def __init__(self) -> None:
        self.count, self.other = 0, threading.Event()

    def sent(self) -> None:
        self.count += 1

    def has_read(self, seconds: float = 10) -> bool:
        """Whether it has read everything until now: wake-ups arrive in order."""
        self.other.clear()
        wake("other")
        return self.other.wait(seconds)


@pytest.fixture
def workers() -> Iterator[list[Worker]]:
    """Two workers that listen."""
    made = [Worker(), Worker()]
    with ExitStack() as stack:
        for each in made:
            stack.enter_context(listening({"sent": each.sent, "other": each.other.set}))
        yield made


def test_it_works_with_two_workers(workers: list[Worker]) -> None:
    wake("sent")
    assert all(each.has_read() for each in workers)
    assert [each.count for each in workers] == [1, 1]


def test_wake_ups_that_arrive_together_keep_their_order() -> None:
    queues = [f"queue-{number}" for number in range(9)]
    called: list[str] = []
    busy, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def wait() -> None:
        busy.set()
        go_on.wait(10)

    with listening({"wait": wait, **{queue: partial(called.append, queue) for queue in queues}, "done": done.set}):
        wake("wait")
        assert busy.wait(10)
        for queue in [*queues, "done"]:
            wake(queue)
        go_on.set()
        assert done.wait(10)
    assert called == queues


def test_a_transaction_wakes_once_and_only_when_it_is_committed(workers: list[Worker]) -> None:
    with transaction.atomic():
        for _ in range(3):
            wake("sent")
            with transaction.atomic():
                wake("sent")
        assert len(connection.run_on_commit) == 1
        assert [each.count for each in workers] == [0, 0]
    assert all(each.has_read() for each in workers)
    assert [each.count for each in workers] == [1, 1]


def test_a_rolled_back_transaction_wakes_nobody(workers: list[Worker]) -> None:
    with transaction.atomic():
        wake("sent")
        transaction.set_rollback(True)
    assert all(each.has_read() for each in workers)
    assert [each.count for each in workers] == [0, 0]


def test_what_follows_a_rolled_back_savepoint_wakes(workers: list[Worker]) -> None:
    with transaction.atomic():
        with transaction.atomic():
            wake("sent")
            transaction.set_rollback(True)
        assert connection.run_on_commit == []
        wake("sent")
    assert all(each.has_read() for each in workers)
    assert [each.count for each in workers] == [1, 1]


def test_an_unknown_queue_wakes_nobody(workers: list[Worker]) -> None:
    """A worker of the former release does not know the queues of the next one."""
    wake("unknown")
    assert all(each.has_read() for each in workers)
    assert [each.count for each in workers] == [0, 0]


def test_an_endpoint_that_is_enabled_wakes(workers: list[Worker], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cms_api.webhooks.services.endpoints.QUEUE", "sent")
    endpoint = make_endpoint()
    disable_endpoint(endpoint=endpoint, reason="")
    assert enable_endpoint(endpoint=endpoint)
    assert all(each.has_read() for each in workers)
    assert [each.count for each in workers] == [1, 1]


def test_it_can_be_done_without_a_worker(folder: Path) -> None:
    wake("sent")
    assert not folder.exists()


@on_pipes
def test_a_stopped_worker_leaves_no_pipe(folder: Path) -> None:
    with listening({}):
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []


@on_pipes
def test_the_pipe_of_a_dead_worker_is_removed(workers: list[Worker], folder: Path) -> None:
    dead = folder / "0123456789abcdef"
    os.mkfifo(dead)
    wake("sent")
    assert all(each.has_read() for each in workers)
    assert ([each.count for each in workers], dead.exists()) == ([1, 1], False)


@on_pipes
def test_a_starting_worker_keeps_its_pipe(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipe has its name only when it is read: whoever wakes meanwhile does not take it for that of a dead worker."""
    mkfifo = os.mkfifo

    def then_wake(*given: Any) -> None:
        mkfifo(*given)
        wake("sent")

    monkeypatch.setattr(os, "mkfifo", then_wake)
    worker = Worker()
    with listening({"sent": worker.sent, "other": worker.other.set}):
        wake("sent")
        assert worker.has_read()
    assert worker.count == 1


@on_pipes
def test_control_with_its_name_from_the_beginning_it_loses_it(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / "0123456789abcdef")
    wake("sent")
    assert list(folder.iterdir()) == []


@on_pipes
def test_a_full_pipe_delays_nobody(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / "0123456789abcdef")
    descriptor = os.open(folder / "0123456789abcdef", os.O_RDWR | os.O_NONBLOCK)
    try:
        with suppress(BlockingIOError):
            while True:
                os.write(descriptor, b"sent\n" * 800)
        wake("sent")
        assert set(os.read(descriptor, 1 << 20).decode().split()) == {"sent"}
    finally:
        os.close(descriptor)


@on_pipes
def test_a_problem_with_pipes_fails_no_write(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder.write_text("No folder.")
    caplog.set_level("DEBUG", "cms_api.core.wakeups")
    wake("sent")
    assert "The workers of sent could not be woken." in caplog.text


@on_pipes
def test_a_listener_tries_again(folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(wakeups, "RETRY_SECONDS", 0.01)
    folder.write_text("No folder.")
    worker = Worker()
    listener = Listener({"other": worker.other.set})
    listener.start()
    try:
        until(lambda: "they find work when they poll" in caplog.text)
        folder.unlink()
        until(lambda: worker.has_read(0.01))
    finally:
        listener.stop()


@on_postgresql
def test_a_lost_connection_is_replaced(workers: list[Worker], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wakeups, "RETRY_SECONDS", 0.01)
    with connection.cursor() as cursor:
        listening = "FROM pg_stat_activity WHERE query = 'LISTEN wakeups' AND datname = current_database()"
        cursor.execute(f"SELECT count(pg_terminate_backend(pid)) {listening}")
        assert cursor.fetchone() == (2,)
    until(lambda: all(each.has_read(0.05) for each in workers))
    wake("sent")
    assert all(each.has_read() for each in workers)
    assert all(each.count for each in workers)


@on_postgresql
def test_an_idle_connection_is_asked_whether_it_works(workers: list[Worker], monkeypatch: pytest.MonkeyPatch) -> None:
    """Wake-ups that arrive with the answer are not overlooked."""
    monkeypatch.setattr(wakeups, "CHECK_SECONDS", 0.0)
    for count in range(1, 50):
        wake("sent")
        assert all(each.has_read() for each in workers)
        assert [each.count for each in workers] == [count, count]


class Leased(Work):
    """Work on a list that one task at a time has the lease of."""

    threads, pause = 2, 3600.0

    def __init__(self) -> None:
        self.waiting: list[int] = []
        self.done: list[int] = []
        self.is_leased = False
        self.polls = 0
        #: Called after the task has looked for the last time, before it gives up its lease.
        self.before_release: Callable[[], None] = lambda: None

    def take(self, stop: Any) -> Task | None:
        self.polls += 1
        if self.is_leased or not self.waiting:
            return None
        self.is_leased = True
        return self.run

    def run(self) -> Round:
        made = Round()
        while self.waiting:
            self.done.append(self.waiting.pop())
            made.attempts += 1
        self.before_release()
        self.is_leased = False
        return made


@contextmanager
def running(work: Work) -> Iterator[Runner]:
    runner = Runner("leased", work)
    runner.start()
    try:
        yield runner
    finally:
        runner.stop()


def lose_a_wakeup(work: Leased, runner: Runner) -> None:
    """Something becomes due, and its wake-up is polled for in vain, while a task that looks no more still has the lease."""
    ended = threading.Event()

    def meanwhile() -> None:
        if not ended.is_set():
            work.waiting.append(2)
            polls = work.polls
            runner.wake()
            until(lambda: work.polls > polls)
            ended.set()

    work.before_release = meanwhile
    work.waiting.append(1)
    runner.wake()
    assert ended.wait(10)


def test_what_becomes_due_while_a_task_ends_is_found_at_once() -> None:
    work = Leased()
    with running(work) as runner:
        lose_a_wakeup(work, runner)
        until(lambda: work.done == [1, 2])


def test_control_without_another_poll_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Leased()
    run = work.run
    monkeypatch.setattr(work, "run", lambda: Round(run().attempts, goes_on=False))
    with running(work) as runner:
        lose_a_wakeup(work, runner)
    assert (work.done, work.waiting) == ([1], [2])


def test_a_runner_that_is_idle_stops_at_once() -> None:
    with running(Leased()) as runner:
        pass
    assert not runner._thread.is_alive()


def test_many_wakeups_are_few_polls() -> None:
    """Those during a poll, and a moment after it, cause one more."""
    work = Leased()
    with running(work) as runner:
        until(lambda: work.polls)
        for _ in range(10_000):
            runner.wake()
        until(lambda: not runner._wakeup.is_set())
    assert work.polls < 1_000
