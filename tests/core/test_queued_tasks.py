"""Tasks that `async_task` has queued, run without the processes of django-q, and with the same results."""

import faulthandler
import os
import signal
import time
from multiprocessing.connection import wait

import pytest
from django.utils import timezone
from django_q.conf import Conf
from django_q.models import Failure, OrmQ, Success
from django_q.tasks import async_task

from cms_api.core.job_processes import Run
from cms_api.core.queued_tasks import QueuedTask, take_task

# The task queue closes connections that are in a transaction.
pytestmark = pytest.mark.django_db(transaction=True)

HERE = "tests.core.test_queued_tasks"


def add(first: int, second: int) -> int:
    return first + second


def fail() -> None:
    raise RuntimeError("no luck")


def abort() -> None:
    # It would write where all threads are.
    faulthandler.disable()
    os.abort()


def end() -> None:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(600)


def fail_if_called(_: object) -> None:
    raise AssertionError("A hook was called in the process of the scheduler.")


def run_apart(task: QueuedTask) -> None:
    """Run a task as the scheduler does, until it has ended."""
    run = Run(task)
    while not run.has_ended():
        wait([run.sentinel], 1)


def take() -> QueuedTask:
    found = take_task()
    assert found is not None
    return found


def test_it_works() -> None:
    assert take_task() is None
    async_task(f"{HERE}.add", 1, second=2)
    task = take()
    assert take_task() is None, "A task was taken twice."
    task.execute()
    assert Success.objects.get().result == 3
    assert not OrmQ.objects.exists()


def test_one_that_fails_is_not_run_again() -> None:
    async_task(f"{HERE}.fail")
    take().execute()
    assert "RuntimeError: no luck" in Failure.objects.get().result
    assert not OrmQ.objects.exists()


def test_one_that_takes_too_long_ends_at_its_timeout() -> None:
    async_task("time.sleep", 600, timeout=1)
    take().execute()
    assert "Task exceeded maximum timeout value (1 seconds)" in Failure.objects.get().result
    assert not OrmQ.objects.exists()


def test_one_whose_process_dies_has_failed(caplog: pytest.LogCaptureFixture) -> None:
    async_task(f"{HERE}.abort", hook=f"{HERE}.fail_if_called")
    run_apart(take())
    failure = Failure.objects.get()
    assert (failure.func, failure.result) == (f"{HERE}.abort", "Its process was ended: Aborted.")
    assert not OrmQ.objects.exists()
    assert "Its process was ended: Aborted." in caplog.text
    assert "hook" not in caplog.text


def test_one_that_is_killed_at_its_deadline_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QueuedTask, "deadline_seconds", 1)
    async_task("time.sleep", 600)
    run_apart(take())
    assert Failure.objects.get().result == "It took longer than 1 seconds."
    assert not OrmQ.objects.exists()


def test_one_whose_process_dies_is_run_again_as_often_as_the_settings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Conf, "MAX_ATTEMPTS", 2)
    async_task(f"{HERE}.abort")
    run_apart(take())
    assert Failure.objects.get().attempt_count == 1
    assert take_task() is None, "It waits as one that has raised an exception."
    OrmQ.objects.update(lock=timezone.now())
    run_apart(take())
    assert Failure.objects.get().attempt_count == 2
    assert not OrmQ.objects.exists()


def test_failures_are_acknowledged_if_the_settings_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Conf, "MAX_ATTEMPTS", 0)
    async_task(f"{HERE}.abort", ack_failure=True)
    run_apart(take())
    assert Failure.objects.get().attempt_count == 1
    assert not OrmQ.objects.exists()


def test_one_that_has_succeeded_stays_so() -> None:
    """Its process may be ended after it has stored the result."""
    async_task(f"{HERE}.add", 1, second=2)
    task = take()
    run_apart(task)
    task.note_stopped("Its process was ended: Killed.")
    task.give_back()
    assert Success.objects.get().result == 3
    assert not OrmQ.objects.exists()


def test_one_that_is_told_to_end_is_given_back() -> None:
    async_task(f"{HERE}.end")
    run_apart(take())
    assert not Failure.objects.exists()
    assert take_task() is not None


class OfAnEarlierVersion:
    """Nobody can import it once the version that knew it is gone."""


def test_one_whose_arguments_are_not_known_any_more_is_deleted(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async_task(f"{HERE}.add", OfAnEarlierVersion(), 2)
    monkeypatch.delitem(globals(), "OfAnEarlierVersion")
    assert take_task() is None
    assert not OrmQ.objects.exists()
    assert "A task could not be read" in caplog.text


def test_one_that_was_not_signed_by_this_site_is_deleted(caplog: pytest.LogCaptureFixture) -> None:
    async_task(f"{HERE}.add", 1, 2)
    OrmQ.objects.update(payload="forged")
    assert take_task() is None
    assert not OrmQ.objects.exists()
    assert "A task could not be read" in caplog.text
