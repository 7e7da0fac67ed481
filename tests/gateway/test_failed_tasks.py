"""Failed tasks where the state of jobs is shown: the report and the home of the admin, `status` and `/readyz`."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from django_q.models import Failure
from django_q.tasks import async_task

from cms_api.gateway.jobs_admin import failures
from cms_api.gateway.status import KEPT_FAILURE_DAYS, MAX_SHOWN_FAILURES, Status, drop_old_failures
from tests import people
from tests.core.test_queued_tasks import HERE, run_apart, take

# The task queue closes connections that are in a transaction.
pytestmark = pytest.mark.django_db(transaction=True)

ERRORS = [(f"{HERE}.abort", "Its process was ended: Aborted."), (f"{HERE}.fail", "no luck")]


def fail_in_silence() -> None:
    raise LookupError


@pytest.fixture
def failed() -> None:
    """A task that raises an exception, and then one whose process dies."""
    async_task(f"{HERE}.fail")
    take().execute()
    async_task(f"{HERE}.abort")
    run_apart(take())


def printed(*options: str) -> str:
    out = StringIO()
    call_command("status", *options, stdout=out)
    return out.getvalue()


@pytest.mark.both_databases
def test_it_works(failed: None, client: Client) -> None:
    client.force_login(people.alice())
    page = client.get("/admin/reports/background-jobs/").content.decode()
    assert "Failed tasks of the last 7 days: 2" in page
    for name, error in ERRORS:
        assert name in page
        assert error in page
    assert page.index(ERRORS[0][0]) < page.index(ERRORS[1][0])
    assert "#failed" in client.get("/admin/").content.decode()
    details: Any = client.get("/readyz").json()["details"]["failed_tasks"]
    assert (details["days"], details["count"]) == (7, 2)
    assert [(task["name"], task["error"]) for task in details["latest"]] == ERRORS


@pytest.mark.both_databases
def test_the_command(failed: None) -> None:
    lines = printed().splitlines()
    start = lines.index("Tasks failed in the last 7 days: 2")
    at = Status().failed_tasks[0].failed_at.isoformat(timespec="seconds")
    assert lines[start + 1] == f"  {at}  {ERRORS[0][0]}  {ERRORS[0][1]}"
    assert json.loads(printed("--json"))["failed_tasks"]["count"] == 2


def test_an_error_without_a_message() -> None:
    async_task(f"{__name__}.fail_in_silence")
    take().execute()
    assert [task.error for task in Status().failed_tasks] == ["LookupError"]


@pytest.mark.both_databases
def test_the_card_is_for_a_week(failed: None) -> None:
    card = failures(people.request_by(people.alice()))
    assert card
    assert (card.count, card.text, card.urgent) == (2, "In the last 7 days.", False)
    Failure.objects.update(stopped=timezone.now() - timedelta(days=7))
    card = failures(people.request_by(people.alice()))
    assert card
    assert (card.count, Status().failed_tasks) == (0, [])


def test_the_latest_ones_are_shown() -> None:
    now = timezone.now()
    for number in range(MAX_SHOWN_FAILURES + 1):
        at = now - timedelta(minutes=number)
        Failure.objects.create(
            id=f"{number:032}", name=str(number), func=str(number), started=at, stopped=at, success=False, result="x"
        )
    status = Status()
    assert status.failed_count == MAX_SHOWN_FAILURES + 1
    assert [task.name for task in status.failed_tasks] == [str(number) for number in range(MAX_SHOWN_FAILURES)]


@pytest.mark.both_databases
def test_old_ones_are_deleted(failed: None) -> None:
    kept, gone = Failure.objects.order_by("stopped")
    Failure.objects.filter(pk=gone.pk).update(stopped=timezone.now() - timedelta(days=KEPT_FAILURE_DAYS, hours=1))
    Failure.objects.filter(pk=kept.pk).update(stopped=timezone.now() - timedelta(days=KEPT_FAILURE_DAYS - 1))
    drop_old_failures()
    assert Failure.objects.get().pk == kept.pk
