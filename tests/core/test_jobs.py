"""Periodic jobs: each runs when it is due, in one process at a time, even if another job fails."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone
from django_q.models import OrmQ

from cms_api.core import registry
from cms_api.core.jobs import (
    claim_job,
    execute,
    forget_worker,
    free_parked_jobs,
    job_states,
    live_workers,
    note_stopped,
    note_worker,
    run_all_jobs,
    run_due_jobs,
    run_soon,
)
from cms_api.core.models import PeriodicJob, WorkerProcess
from cms_api.core.module import Job, Module
from tests.client import together
from tests.modules import install

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

RAN: list[str] = []

Capture = Callable[..., AbstractContextManager[list[Callable[[], object]]]]


def count() -> None:
    RAN.append("count")


def fail() -> None:
    RAN.append("fail")
    raise RuntimeError("no luck")


def also() -> None:
    RAN.append("also")


HERE = "tests.core.test_jobs"


@pytest.fixture(autouse=True)
def _three_jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    declared = (Job("count", f"{HERE}.count", 60), Job("fail", f"{HERE}.fail", 3600), Job("also", f"{HERE}.also", 60))
    install(monkeypatch, Module("planted", "Planted", "Of the tests.", jobs=declared))
    RAN.clear()
    yield
    RAN.clear()


def make_due(*names: str) -> None:
    PeriodicJob.objects.filter(name__in=names).update(due_at=timezone.now() - timedelta(seconds=1))


def test_it_works() -> None:
    assert run_due_jobs() == ["count", "fail", "also"]
    assert RAN == ["count", "fail", "also"]


def test_a_job_is_not_run_again_before_it_is_due() -> None:
    run_due_jobs()
    assert run_due_jobs() == []
    make_due("also")
    assert run_due_jobs() == ["also"]
    assert RAN == ["count", "fail", "also", "also"]


def test_it_is_due_again_after_its_time() -> None:
    run_due_jobs()
    for name, every in (("count", 60), ("fail", 3600)):
        left = PeriodicJob.objects.get(name=name).due_at - timezone.now()
        assert timedelta(seconds=every - 30) < left <= timedelta(seconds=every)


def test_it_runs_soon_if_somebody_asks(django_capture_on_commit_callbacks: Capture) -> None:
    run_due_jobs()
    with django_capture_on_commit_callbacks(execute=True) as requests:
        for name in ("also", "count", "also"):
            run_soon(name)
        assert run_due_jobs() == []
    assert len(requests) == 2
    assert run_due_jobs() == ["count", "also"]
    assert run_due_jobs() == []


def test_one_that_is_running_looks_again(django_capture_on_commit_callbacks: Capture) -> None:
    run_due_jobs()
    make_due("also")
    running = claim_job(Job("also", f"{HERE}.also", 60))
    assert running is not None
    with django_capture_on_commit_callbacks(execute=True):
        run_soon("also")
    assert run_due_jobs() == []
    execute(Job("also", f"{HERE}.also", 60), running)
    assert run_due_jobs() == ["also"]


def test_one_that_is_due_keeps_its_turn(django_capture_on_commit_callbacks: Capture) -> None:
    run_due_jobs()
    make_due("also")
    due_at = PeriodicJob.objects.get(name="also").due_at
    with django_capture_on_commit_callbacks(execute=True):
        run_soon("also")
    assert PeriodicJob.objects.get(name="also").due_at == due_at


def test_a_paused_one_does_not_run_soon(django_capture_on_commit_callbacks: Capture) -> None:
    run_due_jobs()
    PeriodicJob.objects.filter(name="also").update(paused_for_backup_of=timezone.now())
    with django_capture_on_commit_callbacks(execute=True):
        run_soon("also")
        run_soon("count")
    assert run_due_jobs() == ["count"]
    assert PeriodicJob.objects.get(name="also").due_at > timezone.now()


def test_asking_a_database_that_is_away_fails_no_request(
    django_capture_on_commit_callbacks: Capture, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(PeriodicJob.objects, "filter", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        run_soon("also")
    assert "The job also could not be made due" in caplog.text


def test_all_can_be_run_due_or_not() -> None:
    run_due_jobs()
    assert run_all_jobs() == ["count", "fail", "also"]
    assert len(RAN) == 6


def test_a_failure_is_noted_and_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    run_due_jobs()
    failed, fine = PeriodicJob.objects.get(name="fail"), PeriodicJob.objects.get(name="count")
    assert (failed.last_error, fine.last_error) == ("RuntimeError('no luck')", "")
    assert failed.leased_until is fine.leased_until is None
    assert failed.last_run_at is not None
    assert "The job fail failed." in caplog.text


def test_a_success_clears_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    run_due_jobs()
    monkeypatch.setattr(registry, "jobs", lambda: [Job("fail", f"{HERE}.count", 60)])
    run_all_jobs()
    assert PeriodicJob.objects.get(name="fail").last_error == ""


def test_what_another_process_has_taken_is_left_alone() -> None:
    run_due_jobs()
    make_due("count")
    PeriodicJob.objects.filter(name="count").update(leased_until=timezone.now() + timedelta(minutes=1))
    assert run_due_jobs() == []
    assert "count" not in run_all_jobs()


def test_the_lease_of_a_process_that_died_ends() -> None:
    run_due_jobs()
    make_due("count")
    PeriodicJob.objects.filter(name="count").update(leased_until=timezone.now() - timedelta(seconds=1))
    assert run_due_jobs() == ["count"]


def test_a_process_whose_lease_has_ended_overwrites_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one runs the job by then: the lease and the outcome are its own."""

    def job() -> None:
        PeriodicJob.objects.filter(name="count").update(leased_by="another", last_error="of another")

    monkeypatch.setattr(registry, "load", lambda dotted: job)
    run_all_jobs([Job("count", f"{HERE}.count", 60)])
    found = PeriodicJob.objects.get(name="count")
    assert (found.leased_by, found.last_error, found.last_run_at) == ("another", "of another", None)
    assert found.leased_until is not None


def due_in(name: str) -> float:
    """Return the seconds until a job is due."""
    return float((PeriodicJob.objects.get(name=name).due_at - timezone.now()).total_seconds())


def test_failures_in_a_row_are_counted() -> None:
    for _ in range(2):
        run_all_jobs()
    assert PeriodicJob.objects.get(name="fail").failures == 2
    assert PeriodicJob.objects.get(name="count").failures == 0


def test_a_job_that_is_due_later_than_its_interval_is_due_now() -> None:
    """It was run while the clock was two hours ahead."""
    run_due_jobs()
    PeriodicJob.objects.filter(name="count").update(due_at=timezone.now() + timedelta(hours=2))
    assert run_due_jobs() == ["count"]
    assert due_in("count") <= 60


def test_a_lease_that_was_given_while_the_clock_was_ahead_ends() -> None:
    run_due_jobs()
    PeriodicJob.objects.update(leased_by="dead", leased_until=timezone.now() + timedelta(hours=2))
    assert run_all_jobs() == ["count", "fail", "also"]


def test_a_job_that_was_stopped_waits_longer_each_time() -> None:
    job = Job("count", f"{HERE}.count", 60)
    for failures, wait in ((1, 120), (2, 240), (10, 3600)):
        run_all_jobs([job])
        PeriodicJob.objects.filter(name="count").update(failures=failures - 1)
        row = claim_job(job)
        assert row is not None
        note_stopped(job, row, "It took longer than 300 seconds.")
        assert due_in("count") == pytest.approx(wait, abs=30)
        assert run_due_jobs([job]) == []
    assert PeriodicJob.objects.get(name="count").last_error == "It took longer than 300 seconds."
    PeriodicJob.objects.filter(name="count").update(due_at=timezone.now() + timedelta(hours=2))
    assert run_due_jobs([job]) == ["count"]


def test_states() -> None:
    never = Job("never", f"{HERE}.count", 60)
    run_due_jobs()
    PeriodicJob.objects.filter(name="also").update(due_at=timezone.now() - timedelta(minutes=3))
    states = {state.name: (state.status, state.is_late) for state in job_states([*registry.jobs(), never])}
    assert states == {"count": ("ok", False), "fail": ("failing", False), "also": ("late", True), "never": ("not run yet", False)}
    PeriodicJob.objects.filter(name="also").update(leased_until=timezone.now() + timedelta(minutes=1))
    assert job_states(registry.jobs())[2].status == "running"


def test_live_workers() -> None:
    for name, seen in (("now", 0), ("dead", -61), ("ahead", 7200)):
        WorkerProcess.objects.create(name=name, seen_at=timezone.now() + timedelta(seconds=seen))
    assert live_workers() == ["now"]
    note_worker("dead")
    assert live_workers() == ["dead", "now"]
    forget_worker("now")
    assert live_workers() == ["dead"]


def test_the_command_names_what_it_ran() -> None:
    out = StringIO()
    call_command("run_due", stdout=out, in_process=True)
    assert out.getvalue().split() == ["count", "fail", "also"]


class Meeting:
    """A job that waits until every thread has tried to run it."""

    def __init__(self, threads: int) -> None:
        self.tried = threading.Barrier(threads)
        self.times = 0

    def job(self) -> None:
        self.times += 1
        self.tried.wait(10)

    def attempt(self) -> bool:
        ran = bool(run_all_jobs([Job("meet", f"{HERE}.MEETING", 60)]))
        if not ran:
            self.tried.wait(10)
        return ran


@pytest.mark.django_db(transaction=True)
def test_of_two_at_the_same_time_one_runs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = Meeting(2)
    monkeypatch.setattr(registry, "load", lambda dotted: meeting.job)
    assert sorted(together(lambda _: meeting.attempt(), 2)) == [False, True]
    assert meeting.times == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_that_look_at_once_one_runs_what_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "jobs", lambda: [Job("count", f"{HERE}.count", 60)])
    found = together(lambda _: run_due_jobs(), 8)
    assert sorted(found) == [[]] * 7 + [["count"]]
    assert RAN == ["count"]


def test_tasks_that_a_clock_which_was_ahead_has_queued_are_freed() -> None:
    now = timezone.now()
    locks = {"ahead": now + timedelta(hours=2), "taken": now + timedelta(seconds=60), "due": now}
    for key, lock in locks.items():
        OrmQ.objects.create(key=key, payload="x", lock=lock)
    free_parked_jobs()
    found = dict(OrmQ.objects.values_list("key", "lock"))
    assert found["ahead"] <= timezone.now()
    assert (found["taken"], found["due"]) == (locks["taken"], locks["due"])
