"""Two workers never have one import at once, and somebody may cancel it meanwhile."""

import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from cms_api.core.forks import start_fork
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Contact
from commerce.imports.models import ImportRun
from commerce.imports.services import working
from commerce.imports.services.runs import cancel, requeue_stranded
from commerce.imports.services.working import work
from tests.client import together

from .files import guests, make_run, start_run, table

pytestmark = pytest.mark.django_db(transaction=True)

ROWS = 60


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "BATCH", 5)


def test_it_works_with_eight_workers_at_once() -> None:
    run = start_run(make_run(guests(ROWS)))
    heard: list[int] = []
    together(lambda number: work(run.pk, lambda count: heard.append(number)), 8)
    run.refresh_from_db()
    assert (run.state, run.done, run.created, run.updated) == ("finished", ROWS, ROWS, 0)
    assert len(set(heard)) == 1
    assert Contact.objects.count() == ROWS


def test_control_without_the_claim_rows_are_done_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    run = start_run(make_run(guests(ROWS)))
    ImportRun.objects.update(state="running")
    everybody = threading.Barrier(4)

    def claim(pk: int) -> ImportRun:
        found = ImportRun.objects.get(pk=pk)
        everybody.wait(10)
        return found

    def progress(number: int) -> None:
        heard.append(number)
        # On SQLite whoever waits looks again after a tenth of a second.
        time.sleep(0.3 if len(heard) < 4 else 0)

    monkeypatch.setattr(working, "claim", claim)
    heard: list[int] = []
    together(lambda number: work(run.pk, lambda count: progress(number)), 4)
    assert len(set(heard)) > 1


def test_many_watchers_queue_a_stranded_run_once() -> None:
    from django_q.models import OrmQ

    start_run(make_run())
    OrmQ.objects.all().delete()
    ImportRun.objects.update(leased_until=timezone.now())
    together(lambda _: requeue_stranded(), 6)
    assert OrmQ.objects.count() == 1


def test_cancelled_by_somebody_else_while_it_runs() -> None:
    """Whenever that comes: what was counted is what is there."""
    run = start_run(make_run(guests(ROWS)))

    def act(number: int) -> Any:
        if number == 0:
            # On SQLite whoever waits looks again after a tenth of a second.
            return work(run.pk, lambda count: time.sleep(0.15))
        while not Contact.objects.exists():
            time.sleep(0.005)
        return cancel(run=ImportRun.objects.get(pk=run.pk))

    together(act, 2)
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert 0 < run.done == run.created == Contact.objects.count()


def test_a_worker_that_is_killed_again_and_again() -> None:
    """Nothing is lost and nothing is done twice, whenever it dies."""
    rows = [f"guest{number}@example.com,,,," if number % 7 else "bad,,,," for number in range(100)]
    run = start_run(make_run(table(*rows)))
    killed = 0
    for _ in range(30):
        before = ImportRun.objects.get(pk=run.pk)
        if before.state == "finished":
            break
        ImportRun.objects.filter(pk=run.pk).update(leased_until=timezone.now() - timedelta(seconds=1), attempts=0)
        connections.close_all()
        worker = start_fork("worker", work, run.pk)
        while worker.is_alive() and killed < 2:
            if ImportRun.objects.get(pk=run.pk).done >= min(before.done + 20, 95):
                worker.kill()
                killed += 1
                break
            time.sleep(0.01)
        worker.join(60)
    run.refresh_from_db()
    assert killed == 2
    assert (run.state, run.done, run.created, run.updated, run.refused) == ("finished", 100, 85, 0, 15)
    assert Contact.objects.count() == 85
    assert run.refusals.count() == 15
    assert not OutboxEvent.objects.exists()
