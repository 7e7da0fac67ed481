"""Leases and retries, by a module that captures payments: a model, a function for one row, and a line of a declaration."""

import errno
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, models
from django.test.utils import isolate_apps
from django.utils import timezone

from cms_api.core import leases, queues, registry
from cms_api.core.jobs import run_all_jobs
from cms_api.core.leases import LOST, Retried, claim, fail, release, renew, renewing, succeed
from cms_api.core.models import PeriodicJob
from cms_api.core.module import Queue
from cms_api.core.outages import Busy
from cms_api.core.queues import Failed, Round, RowWork, Runner
from cms_api.media.services.storage import StorageUnavailable
from tests.client import together
from tests.mail.postoffice import wait_until
from tests.modules import install

pytestmark = pytest.mark.django_db(transaction=True)

HERE = "tests.core.test_leases"
LEASE = timedelta(minutes=2)
DELAYS = (timedelta(minutes=1), timedelta(minutes=5))
ROWS = 30

with isolate_apps("cms_api.core"):

    class Capture(Retried):
        reference = models.CharField(max_length=20)

        class Meta:
            app_label = "core"


def capture(row: Capture) -> None:
    PROVIDER.capture(row)


CAPTURE_WORK = RowWork(Capture, capture, lease=LEASE, delays=DELAYS, max_lost=3)


class Provider:
    """A payment provider that notes what it was asked to capture, and answers as a test wants."""

    def __init__(self) -> None:
        self.captured: list[str] = []
        self.answer: Callable[[], None] = lambda: None

    def capture(self, row: Capture) -> None:
        self.captured.append(row.reference)
        self.answer()


PROVIDER = Provider()


@pytest.fixture(autouse=True)
def provider() -> Iterator[Provider]:
    """The table, for the time of a test, and a provider that captures whatever it is asked to."""
    with connection.schema_editor() as editor:
        editor.create_model(Capture)
    PROVIDER.__init__()  # type: ignore[misc]
    yield PROVIDER
    with connection.schema_editor() as editor:
        editor.delete_model(Capture)


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of the declaration."""
    queue = Queue("capture_payments", f"{HERE}.CAPTURE_WORK")
    installed = tuple(replace(module, jobs=(), queues=(queue,) * (module.name == "mail")) for module in registry.modules())
    install(monkeypatch, *installed)


def make(count: int = 1) -> list[Capture]:
    now = timezone.now()
    return [Capture.objects.create(reference=f"pay-{number}", next_attempt_at=now) for number in range(count)]


def make_due() -> None:
    Capture.objects.filter(next_attempt_at__isnull=False).update(next_attempt_at=timezone.now())


def reloaded(row: Capture) -> Capture:
    return Capture.objects.get(pk=row.pk)


def state(row: Capture) -> tuple[int, int, int, bool]:
    """Attempts, failures and lost attempts, and whether it is finished."""
    row.refresh_from_db()
    assert (row.finished_at is None) == (row.next_attempt_at is not None)
    return row.attempts, row.failures, row.lost, row.finished_at is not None


def wait_of(row: Capture) -> Any:
    assert row.next_attempt_at is not None
    return pytest.approx((row.next_attempt_at - timezone.now()).total_seconds(), abs=30)


def raising(problem: BaseException) -> Callable[[], None]:
    def answer() -> None:
        raise problem

    return answer


class Killed(BaseException):
    """Ends a worker between the claim and the end of the attempt."""


def test_it_works(provider: Provider) -> None:
    (row,) = make()
    assert CAPTURE_WORK.run_due() == Round(attempts=1, reachable=True)
    assert (state(row), row.error, provider.captured) == ((1, 0, 0, True), "", ["pay-0"])
    assert CAPTURE_WORK.run_due().attempts == 0


def test_the_declaration_gives_a_worker_and_a_periodic_job(declared: None, provider: Provider) -> None:
    make()
    assert run_all_jobs() == ["capture_payments"]
    assert provider.captured == ["pay-0"]
    (queue,) = (queue for module in registry.modules() for queue in module.queues)
    runner = Runner(queue.name, registry.load(queue.work))
    runner.start()
    try:
        Capture.objects.create(reference="later", next_attempt_at=timezone.now())
        wait_until(lambda: Capture.objects.filter(finished_at=None).count() == 0)
    finally:
        runner.stop()
    assert provider.captured == ["pay-0", "later"]


def race(provider: Provider) -> Counter[str]:
    """How often each row is done by two workers that meet in the midst of their first attempts."""
    make(ROWS)
    meeting, met = threading.Barrier(2), threading.local()

    def answer() -> None:
        if not hasattr(met, "once"):
            met.once = True
            meeting.wait(10)

    provider.answer = answer
    together(lambda _: CAPTURE_WORK.run_due(), 2)
    return Counter(provider.captured)


def test_two_workers_do_each_row_once(provider: Provider) -> None:
    assert race(provider) == {f"pay-{number}": 1 for number in range(ROWS)}
    assert set(Capture.objects.exclude(finished_at=None).values_list("attempts", "lost")) == {(1, 0)}
    assert not Capture.objects.filter(finished_at=None).exists()


def test_control_without_the_claim_they_do_rows_twice(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "take", lambda *_, **__: True)
    assert race(provider)["pay-0"] == 2


def test_a_row_is_resumed_when_the_lease_of_a_dead_worker_has_ended(provider: Provider) -> None:
    (row,) = make()
    provider.answer = raising(Killed())
    with pytest.raises(Killed):
        CAPTURE_WORK.run_due()
    assert (state(row), wait_of(row)) == ((1, 0, 1, False), LEASE.total_seconds())
    provider.answer = lambda: None
    assert CAPTURE_WORK.run_due().attempts == 0
    make_due()
    assert CAPTURE_WORK.run_due().attempts == 1
    assert state(row) == (2, 0, 0, True)


def test_a_row_that_kills_every_worker_is_given_up(provider: Provider) -> None:
    (row,) = make()
    provider.answer = raising(Killed())
    for _ in range(CAPTURE_WORK.max_lost):
        with pytest.raises(Killed):
            CAPTURE_WORK.run_due()
        make_due()
    CAPTURE_WORK.run_due()
    assert (state(row), row.error, len(provider.captured)) == ((4, 1, 0, True), LOST, 3)


def test_the_schedule_of_retries_and_its_end(provider: Provider) -> None:
    (row,) = make()
    provider.answer = raising(Failed("The card was refused."))
    for number, delay in enumerate(DELAYS, start=1):
        assert CAPTURE_WORK.run_due().attempts == 1
        assert (state(row), wait_of(row)) == ((number, number, 0, False), delay.total_seconds())
        assert (row.error, CAPTURE_WORK.run_due().attempts) == ("The card was refused.", 0)
        make_due()
    CAPTURE_WORK.run_due()
    assert (state(row), row.error) == ((3, 3, 0, True), "The card was refused.")
    make_due()
    assert CAPTURE_WORK.run_due().attempts == 0


def test_a_retry_that_succeeds_clears_the_error(provider: Provider) -> None:
    (row,) = make()
    provider.answer = raising(Failed("Try again."))
    CAPTURE_WORK.run_due()
    provider.answer = lambda: None
    make_due()
    CAPTURE_WORK.run_due()
    assert (state(row), row.error) == ((2, 1, 0, True), "")


def test_a_final_failure_is_not_tried_again(provider: Provider) -> None:
    (row,) = make()
    provider.answer = raising(Failed("The account is closed.", final=True))
    CAPTURE_WORK.run_due()
    assert (state(row), row.error) == ((1, 1, 0, True), "The account is closed.")


def test_a_failure_may_ask_for_a_longer_delay(provider: Provider) -> None:
    (row,) = make()
    provider.answer = raising(Failed("Not before noon.", at_least=timedelta(hours=1)))
    CAPTURE_WORK.run_due()
    assert (state(row), wait_of(row)) == ((1, 1, 0, False), 3600)


def test_an_error_of_ours_is_logged_and_tried_again(provider: Provider, caplog: pytest.LogCaptureFixture) -> None:
    first, second = make(2)
    provider.answer = raising(ValueError("a\0b" + "x" * 1000))
    assert CAPTURE_WORK.run_due() == Round(attempts=2, reachable=True)
    assert state(first) == state(second) == (1, 1, 0, False)
    assert (first.error[:11], len(first.error)) == ("ValueError(", 500)
    assert "The attempt of core.Capture" in caplog.text


def refusing(times: int) -> Callable[..., bool]:
    """`succeed` while the database is locked, so many times."""
    left = [times]

    def record(row: Capture, **options: Any) -> bool:
        if left[0]:
            left[0] -= 1
            raise OperationalError("database is locked")
        return succeed(row, **options)

    return record


def test_what_is_done_is_recorded_once_the_database_is_free(monkeypatch: pytest.MonkeyPatch, provider: Provider) -> None:
    (row,) = make()
    monkeypatch.setattr(queues, "RECORD_PAUSE_SECONDS", 0)
    monkeypatch.setattr(queues, "succeed", refusing(3))
    CAPTURE_WORK.run_due()
    assert provider.captured == ["pay-0"]
    assert state(row) == (1, 0, 0, True)


def test_what_could_not_be_recorded_is_not_done_again(monkeypatch: pytest.MonkeyPatch, provider: Provider) -> None:
    (row,) = make()
    monkeypatch.setattr(queues, "RECORD_SECONDS", 0)
    monkeypatch.setattr(queues, "RECORD_PAUSE_SECONDS", 0)
    with monkeypatch.context() as locked:
        locked.setattr(queues, "succeed", refusing(100))
        # It is over at once, or after one more try.
        with pytest.raises(OperationalError):
            CAPTURE_WORK.run_due()
    assert state(row) == (1, 0, 1, False)
    make_due()
    CAPTURE_WORK.run_due()
    assert provider.captured == ["pay-0"]
    assert state(row) == (2, 0, 0, True)
    # A row that is queued again is done again.
    Capture.objects.update(**Capture.values_to_requeue())
    CAPTURE_WORK.run_due()
    assert provider.captured == ["pay-0", "pay-0"]


def test_an_outage_ends_the_round_and_costs_the_others_nothing(provider: Provider) -> None:
    first, second = make(2)
    provider.answer = raising(Failed("No answer.", outage=True))
    assert CAPTURE_WORK.run_due() == Round(attempts=1, reachable=False)
    assert (state(first), state(second)) == ((1, 1, 0, False), (0, 0, 0, False))


@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "full"), StorageUnavailable("away")])
def test_an_outage_of_ours_is_no_failure_of_the_row(provider: Provider, problem: Exception) -> None:
    (row,) = make()
    provider.answer = raising(problem)
    for number in range(1, len(DELAYS) + 3):
        assert CAPTURE_WORK.run_due() == Round(attempts=1, reachable=False)
        assert (state(row), wait_of(row)) == ((number, 0, 0, False), CAPTURE_WORK.outage)
        # It waits no longer than a clock that is ahead could make it.
        CAPTURE_WORK.free_parked()
        assert wait_of(row) == CAPTURE_WORK.outage
        make_due()
    assert "Try again later." in row.error
    provider.answer = lambda: None
    CAPTURE_WORK.run_due()
    assert state(row)[3]


def test_a_row_that_keeps_the_host_busy_comes_to_an_end(provider: Provider) -> None:
    (row,) = make()
    provider.answer = raising(Busy())
    for _ in range(len(DELAYS) + 1):
        assert CAPTURE_WORK.run_due() == Round(attempts=1, reachable=True)
        make_due()
    assert state(row)[3]


def test_a_finished_row_can_be_queued_again(provider: Provider) -> None:
    (row,) = make()
    provider.answer = raising(Failed("Closed.", final=True))
    CAPTURE_WORK.run_due()
    Capture.objects.filter(pk=row.pk).update(**Capture.values_to_requeue())
    provider.answer = lambda: None
    CAPTURE_WORK.run_due()
    assert state(row) == (2, 0, 0, True)


def stale_and_current() -> tuple[Capture, Capture]:
    """One row in the hands of a worker whose lease has ended, and in those of the one that claimed it then."""
    make()
    stale = claim(Capture.objects.all(), LEASE)
    assert claim(Capture.objects.all(), LEASE) is None
    make_due()
    current = claim(Capture.objects.all(), LEASE)
    assert stale is not None
    assert current is not None
    return stale, current


def test_a_stale_worker_cannot_overwrite() -> None:
    stale, current = stale_and_current()
    before = vars(reloaded(stale)) | {"_state": None}
    assert not fail(stale, "Late.", (), final=True)
    assert not fail(stale, "Late.", DELAYS)
    assert not succeed(stale)
    assert not renew(stale, LEASE)
    assert vars(reloaded(stale)) | {"_state": None} == before
    assert renew(current, LEASE)
    assert succeed(current)
    assert not fail(current, "Twice.", (), final=True)
    assert not fail(stale, "Later.", (), final=True)
    assert state(stale) == (2, 0, 0, True)


def test_control_without_the_fence_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    stale, _ = stale_and_current()
    monkeypatch.setattr(Capture, "fence", lambda self: {})
    assert fail(stale, "Late.", (), final=True)
    assert reloaded(stale).error == "Late."


def test_a_late_success_counts_where_it_cannot_be_undone() -> None:
    stale, current = stale_and_current()
    assert succeed(stale, fenced=False)
    assert not fail(current, "The provider says it is captured.", (), final=True)
    assert not succeed(current, fenced=False)
    assert state(current) == (2, 0, 0, True)


def test_a_row_that_is_deleted_while_it_is_claimed(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    gone, _ = make(2)
    take = leases.take

    def then_delete(rows: Any, *given: Any, **changes: Any) -> bool:
        taken = take(rows, *given, **changes)
        Capture.objects.filter(pk=gone.pk).delete()
        return taken

    monkeypatch.setattr(leases, "take", then_delete)
    assert CAPTURE_WORK.run_due().attempts == 1
    assert provider.captured == ["pay-1"]


def test_a_lease_that_ended_can_neither_be_renewed_nor_released() -> None:
    job = PeriodicJob.objects.create(name="x", due_at=timezone.now())
    stale = claim(PeriodicJob.objects.filter(pk=job.pk), timedelta(seconds=-1))
    current = claim(PeriodicJob.objects.filter(pk=job.pk), LEASE)
    assert stale is not None
    assert current is not None
    assert not renew(stale, LEASE)
    assert not release(stale, last_error="Late.")
    job.refresh_from_db()
    assert (job.leased_by, job.leased_until, job.last_error) == (current.leased_by, current.leased_until, "")
    assert renew(current, LEASE)
    assert release(current)
    assert claim(PeriodicJob.objects.filter(pk=job.pk), LEASE) is not None


def test_a_runner_does_several_at_once_and_waits_for_them(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cms_api.core.leases.BATCH", 1)
    make(2)
    meeting = threading.Barrier(2)
    provider.answer = lambda: meeting.wait(10) and None
    runner = Runner("captures", RowWork(Capture, capture, lease=LEASE, delays=DELAYS, threads=2))
    runner.start()
    wait_until(lambda: len(provider.captured) == 2)
    runner.stop()
    assert Capture.objects.filter(finished_at=None).count() == 0


def test_a_runner_that_is_told_to_stop_begins_no_more(provider: Provider) -> None:
    make(3)
    runner = Runner("captures", CAPTURE_WORK)
    provider.answer = runner._stop.set
    runner.start()
    wait_until(runner._stop.is_set)
    runner.stop()
    assert Counter(Capture.objects.values_list("attempts", flat=True)) == {1: 1, 0: 2}


def test_a_runner_does_nothing_while_its_feature_is_off(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CAPTURE_WORK, "pause", 0.01)
    make()
    asked, is_on = threading.Semaphore(0), threading.Event()

    def ask() -> bool:
        asked.release()
        return is_on.is_set()

    runner = Runner("captures", CAPTURE_WORK, is_on=ask)
    runner.start()
    try:
        for _ in range(3):
            assert asked.acquire(timeout=10)
        assert provider.captured == []
        is_on.set()
        wait_until(lambda: provider.captured == ["pay-0"])
    finally:
        runner.stop()


def test_a_runner_lives_through_errors(
    provider: Provider, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Of the look-up as of the work; what was claimed is resumed when its lease has ended."""
    monkeypatch.setattr(CAPTURE_WORK, "pause", 0.01)
    monkeypatch.setattr(CAPTURE_WORK, "outage", 0.01)
    monkeypatch.setattr(CAPTURE_WORK, "lease", timedelta(seconds=-1))
    take, session, troubles = CAPTURE_WORK.take, CAPTURE_WORK.session, [1, 1]

    def troubled(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            if troubles:
                troubles.pop()
                raise RuntimeError("The database is away.")
            return function(*given)

        return call

    monkeypatch.setattr(CAPTURE_WORK, "take", troubled(take))
    monkeypatch.setattr(CAPTURE_WORK, "session", troubled(session))
    runner = Runner("captures", CAPTURE_WORK)
    runner.start()
    try:
        (row,) = make()
        wait_until(lambda: reloaded(row).finished_at is not None)
    finally:
        runner.stop()
    assert "captures: what is due could not be looked up." in caplog.text


def test_what_a_clock_that_was_ahead_made_wait_is_due(provider: Provider) -> None:
    """Two hours: new rows, rows of a worker that died, and rows after a failure, each beyond what is possible."""
    ahead = timezone.now() + timedelta(hours=2)
    _, leased, failed, requeued = make(4)
    Capture.objects.filter(pk=leased.pk).update(attempts=1, lost=1)
    Capture.objects.filter(pk=failed.pk).update(attempts=1, failures=1)
    Capture.objects.filter(pk=requeued.pk).update(attempts=9, failures=9)
    Capture.objects.update(next_attempt_at=ahead)
    assert CAPTURE_WORK.run_due().attempts == 4


def test_what_waits_as_it_should_is_not_due(provider: Provider) -> None:
    now = timezone.now()
    leased, failed = make(2)
    Capture.objects.filter(pk=leased.pk).update(attempts=1, lost=1, next_attempt_at=now + LEASE)
    Capture.objects.filter(pk=failed.pk).update(attempts=2, failures=2, next_attempt_at=now + DELAYS[1])
    assert CAPTURE_WORK.run_due().attempts == 0


def test_a_lease_is_renewed_while_the_work_lasts() -> None:
    make()
    row = claim(Capture.objects.all(), timedelta(seconds=0.3))
    assert row is not None
    first = row.next_attempt_at
    with renewing(row, timedelta(seconds=0.3)):
        wait_until(lambda: reloaded(row).next_attempt_at != first)
    assert row.next_attempt_at == reloaded(row).next_attempt_at
    assert succeed(row)
