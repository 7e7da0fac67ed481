"""Tasks that `async_task` has queued, run without the processes of django-q, and with the same results."""

import pytest
from django_q.models import Failure, OrmQ, Success
from django_q.tasks import async_task

from cms_api.core.queued_tasks import QueuedTask, take_task

# The task queue closes connections that are in a transaction.
pytestmark = pytest.mark.django_db(transaction=True)

HERE = "tests.core.test_queued_tasks"


def add(first: int, second: int) -> int:
    return first + second


def fail() -> None:
    raise RuntimeError("no luck")


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


def test_one_that_was_not_signed_by_this_site_is_deleted(caplog: pytest.LogCaptureFixture) -> None:
    async_task(f"{HERE}.add", 1, 2)
    OrmQ.objects.update(payload="forged")
    assert take_task() is None
    assert not OrmQ.objects.exists()
    assert "A task could not be read" in caplog.text
