"""Rows that a job works on: one that raises keeps none of the others from their work."""

import errno
import logging
import sqlite3
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from cms_api.core import jobs
from cms_api.core.batches import RowsFailed, Run, each
from cms_api.core.jobs import JobStatus
from cms_api.core.models import PeriodicJob, WorkerProcess
from cms_api.core.module import Job
from cms_api.core.outages import DiskFull
from cms_api.media.services.storage import StorageUnavailable

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]

ROWS = WorkerProcess.objects.order_by("name")
NAMES = ROWS.values_list("name", flat=True)


@pytest.fixture(autouse=True)
def _rows() -> None:
    now = timezone.now()
    WorkerProcess.objects.bulk_create(WorkerProcess(name=f"row {number:03}", seen_at=now) for number in range(250))


def refusing(
    *refused: str, problem: Callable[[], BaseException] = lambda: ValueError("It is odd.")
) -> tuple[list[str], Callable[[str], bool]]:
    """Works that are noted, and a function that does them, but raises for some."""
    done: list[str] = []

    def work(name: str) -> bool:
        if name in refused:
            raise problem()
        done.append(name)
        return True

    return done, work


def test_each_row_is_worked_on_once_in_order() -> None:
    done, work = refusing()
    assert each(NAMES, work) == 250
    assert done == list(NAMES)


def test_rows_without_an_order_have_that_of_their_keys() -> None:
    done: list[str] = []
    each(WorkerProcess.objects.order_by(), lambda row: done.append(row.name))
    assert done == list(NAMES)


def test_rows_that_leave_while_others_are_worked_on_are_not_skipped() -> None:
    assert each(ROWS, lambda row: row.delete()) == 250
    assert not ROWS.exists()


def test_a_row_that_raises_keeps_no_other_waiting(caplog: pytest.LogCaptureFixture) -> None:
    done, work = refusing("row 000", "row 120")
    with pytest.raises(RowsFailed) as failed:
        each(NAMES, work)
    assert str(failed.value) == "2 of 250 failed. The first: core.WorkerProcess row 000: ValueError('It is odd.')"
    assert len(done) == 248
    (first, second) = (each for each in caplog.records if each.levelno == logging.ERROR)
    assert (first.getMessage(), bool(first.exc_info)) == ("The work on core.WorkerProcess row 000 failed.", True)
    assert second.getMessage() == "The work on core.WorkerProcess row 120 failed."


def test_what_a_row_has_broken_is_undone_without_the_others() -> None:
    @transaction.atomic
    def work(row: WorkerProcess) -> None:
        WorkerProcess.objects.create(name=f"more {row.name}", seen_at=timezone.now())
        if row.name == "row 001":
            WorkerProcess.objects.create(name="row 000", seen_at=timezone.now())

    with pytest.raises(RowsFailed, match="IntegrityError"):
        each(ROWS.filter(name__startswith="row 00"), work)
    assert list(NAMES.filter(name__startswith="more")) == [f"more row 00{number}" for number in range(10) if number != 1]


@pytest.mark.parametrize("limit", [1, 3, 150])
def test_rows_that_always_raise_do_not_use_up_the_limit(limit: int) -> None:
    done, work = refusing(*NAMES[:90])
    with pytest.raises(RowsFailed):
        each(NAMES, work, limit=limit)
    assert done == list(NAMES[90 : 90 + limit])


def locked() -> OperationalError:
    problem, cause = OperationalError("database is locked"), sqlite3.OperationalError("database is locked")
    cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
    problem.__cause__ = cause
    return problem


@pytest.mark.parametrize("outage", [locked, InterfaceError, DiskFull, lambda: OSError(28, "No space left on device")])
def test_an_outage_ends_the_run(outage: Callable[[], Exception]) -> None:
    done, work = refusing("row 002", problem=outage)
    with pytest.raises(type(outage())):
        each(NAMES, work)
    assert done == ["row 000", "row 001"]


@pytest.mark.parametrize("problem", [StorageUnavailable("refused"), OSError(errno.EIO, "Input/output error")])
def test_a_file_that_is_away_keeps_no_other_row_waiting(problem: Exception) -> None:
    done, work = refusing("row 002", problem=lambda: problem)
    with pytest.raises(RowsFailed, match="1 of 250 failed"):
        each(NAMES, work)
    assert len(done) == len(NAMES) - 1


def test_an_error_of_the_database_about_one_row_is_no_outage() -> None:
    done, work = refusing("row 002", problem=lambda: OperationalError("Could not decode to UTF-8 column"))
    with pytest.raises(RowsFailed):
        each(NAMES, work)
    assert len(done) == len(NAMES) - 1


def test_whoever_ends_the_process_is_obeyed() -> None:
    done, work = refusing("row 000", problem=SystemExit)
    with pytest.raises(SystemExit):
        each(NAMES, work)
    assert done == []


def test_what_is_raised_between_the_rows_counts_more() -> None:
    _, work = refusing("row 000")

    def go() -> None:
        with Run() as run:
            run.each(NAMES, work)
            raise KeyError

    with pytest.raises(KeyError):
        go()


def test_several_kinds_of_rows_share_a_run() -> None:
    done, work = refusing("row 000")
    others: list[str] = []

    def go() -> None:
        with Run() as run:
            run.each(NAMES, work)
            run.each(NAMES.filter(name__lt="row 003"), others.append)

    with pytest.raises(RowsFailed, match="1 of 253 failed"):
        go()
    assert (len(done), len(others)) == (249, 3)


def test_a_run_ends_after_some_seconds() -> None:
    done, work = refusing()
    with Run(seconds=-1) as run:
        assert run.is_over
        run.each(NAMES, work)
    assert done == []


def test_a_batch_that_raises_is_done_one_by_one() -> None:
    done: list[list[str]] = []

    def work(names: list[str]) -> int:
        if "row 007" in names:
            raise ValueError
        done.append(names)
        return len(names)

    with pytest.raises(RowsFailed, match="1 of 250 failed"), Run() as run:
        assert run.each_batch(NAMES, work, size=5) == 249
    assert done[:6] == [list(NAMES[:5]), *([f"row 00{number}"] for number in (5, 6, 8, 9)), list(NAMES[10:15])]


def test_it_refuses_to_be_in_a_transaction() -> None:
    with pytest.raises(RuntimeError, match="before or after the transaction"), transaction.atomic():
        each(NAMES, lambda name: None)


def test_the_lots_grow_with_what_was_seen(django_assert_num_queries: Callable[[int], object]) -> None:
    # 100, then 200, then what is left and nothing more.
    with django_assert_num_queries(3):
        each(NAMES, lambda name: None)


def run_failing_job() -> None:
    each(NAMES.filter(name__lt="row 003"), refusing("row 001")[1])


def test_a_job_with_rows_that_fail_is_shown_as_failing() -> None:
    job = Job("try_rows", f"{__name__}.run_failing_job", every=60)
    assert jobs.run_all_jobs([job]) == ["try_rows"]
    (state,) = jobs.job_states([job])
    assert (state.status, state.failures) == (JobStatus.FAILING, 1)
    assert "1 of 3 failed. The first: core.WorkerProcess row 001" in state.error
    # It is due again as ever.
    assert PeriodicJob.objects.get().due_at < timezone.now() + timedelta(seconds=61)
