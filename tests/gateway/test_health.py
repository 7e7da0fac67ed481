"""`/readyz`, `manage.py status`, and the report and card of background jobs."""

import json
from datetime import timedelta
from io import StringIO
from ipaddress import ip_network
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from benchmarks.servers import free_port
from cms_api.accounts.services.sessions import HOUR, SEEN
from cms_api.core import caches
from cms_api.core.jobs import note_worker
from cms_api.core.models import PeriodicJob
from cms_api.core.outages import CircuitBreaker
from cms_api.gateway import health
from cms_api.gateway.jobs_admin import delays, problems
from cms_api.mail.models import OutgoingMail
from tests import people

pytestmark = pytest.mark.django_db

REPORT = "/admin/reports/background-jobs/"


@pytest.fixture
def broken_jobs() -> None:
    """One job that fails, and one that is late."""
    now = timezone.now()
    PeriodicJob.objects.create(
        name="publish_due_items",
        due_at=now + timedelta(seconds=10),
        last_run_at=now,
        last_error="RuntimeError('no luck')",
        failures=3,
    )
    PeriodicJob.objects.create(name="drop_old_mail", due_at=now - timedelta(minutes=5))


def details(client: Client) -> Any:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    return answer.json().get("details")


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    answer = client.get("/readyz")
    expected = {"database": "ok", "migrations": "ok", "disk": "ok", "cache": "ok"}
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "version": "0.1.0", "checks": expected})


@pytest.mark.parametrize("check", ["database", "migrations", "disk"])
def test_what_serving_needs(client: Client, check: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise health.NotReady

    monkeypatch.setitem(health._CHECKS, check, fail)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"], answer.json()["checks"][check]) == (503, "unavailable", "failed")


def test_a_site_whose_redis_is_away_serves_and_says_so(client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "breaker", CircuitBreaker("Redis", instead="nothing is cached"))
    location = f"redis://127.0.0.1:{free_port()}/0"
    settings.CACHES = {"default": {"BACKEND": "cms_api.core.caches.RedisCache", "LOCATION": location}}
    answer, home = client.get("/readyz"), client.get("/")
    body = answer.json()
    assert (answer.status_code, body["status"], body["checks"]["cache"]) == (200, "ok", "degraded")
    assert {name for name, outcome in body["checks"].items() if outcome == "ok"} == {"database", "migrations", "disk"}
    assert home.status_code == 200


def test_details_are_for_operators_and_the_admin(client: Client, broken_jobs: None, settings: Any) -> None:
    assert details(client) is None
    client.force_login(people.charlie())
    assert details(client) is None
    client.force_login(people.alice())
    assert details(client)["worker"] == "missing"
    session = client.session
    session[SEEN] -= (settings.ADMIN_SESSION_IDLE_HOURS + 1) * HOUR
    session.save()
    assert details(client) is None
    client.logout()
    settings.OPERATORS_NETWORKS = [ip_network("10.0.0.0/8")]
    assert details(client) is None
    assert client.get("/readyz", headers={"X-Forwarded-For": "10.0.0.1"}).json().get("details") is None
    assert client.get("/readyz", REMOTE_ADDR="10.1.2.3").json()["details"]["worker"] == "missing"
    assert client.get("/readyz", REMOTE_ADDR="::ffff:10.1.2.3").json()["details"]["worker"] == "missing"


def test_details(client: Client, broken_jobs: None, settings: Any) -> None:
    settings.OPERATORS_NETWORKS = [ip_network("127.0.0.0/8")]
    note_worker("host:1")
    minute_ago = timezone.now() - timedelta(minutes=1)
    OutgoingMail.objects.create(message_id="<1@site>", created_at=minute_ago, next_attempt_at=minute_ago)
    found = details(client)
    assert (found["worker"], found["workers"]) == ("running", ["host:1"])
    assert (found["failing"], found["late"]) == (["publish_due_items"], ["drop_old_mail"])
    job = next(job for job in found["jobs"] if job["name"] == "publish_due_items")
    assert (job["last_error"], job["failures"], job["status"], job["every"]) == ("RuntimeError('no luck')", 3, "failing", 15)
    waiting = found["queues"]["mails"]
    assert (waiting["waiting"], waiting["seconds"]) == (1, pytest.approx(60, abs=30))


def test_the_command(broken_jobs: None) -> None:
    out = StringIO()
    call_command("status", stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "Workers: missing"
    (line,) = (line for line in lines if line.startswith("publish_due_items"))
    assert line.split()[1] == "failing"
    assert line.endswith("RuntimeError('no luck')")
    out = StringIO()
    call_command("status", "--json", stdout=out)
    assert json.loads(out.getvalue())["late"] == ["drop_old_mail"]


def test_the_card(broken_jobs: None) -> None:
    card = problems(people.request_by(people.alice()))
    assert card is not None
    assert (card.count, card.urgent, card.url, card.text) == (2, True, REPORT, "No worker is running, 1 failing, 1 late.")
    note_worker("host:1")
    card = problems(people.request_by(people.alice()))
    assert card is not None
    assert card.text == "1 failing, 1 late."
    PeriodicJob.objects.all().delete()
    card = problems(people.request_by(people.alice()))
    assert card is not None
    assert card.count == 0


def test_a_queue_that_stands_still() -> None:
    due = timezone.now() - timedelta(minutes=12, seconds=5)
    mail = {"template": "x", "recipient": "a@example.com", "subject": "x", "text": "x", "html": "x"}
    OutgoingMail.objects.create(**mail, created_at=due, next_attempt_at=due)
    card = delays(people.request_by(people.alice()))
    assert card is not None
    assert (card.count, card.text) == (1, "Mails have waited for 12 minutes.")
    OutgoingMail.objects.update(next_attempt_at=timezone.now() - timedelta(minutes=9))
    card = delays(people.request_by(people.alice()))
    assert card is not None
    assert card.count == 0


@pytest.mark.both_databases
def test_the_report(admin_client: Client, broken_jobs: None, client: Client) -> None:
    PeriodicJob.objects.create(name="expire_budgets", due_at=timezone.now() + timedelta(hours=24, minutes=1))
    page = admin_client.get(REPORT).content.decode()
    assert "<td>In 1\xa0day</td>" in page
    assert page.count("<td>Now</td>") == 2
    assert "RuntimeError(&#x27;no luck&#x27;)" in page
    assert "(3 times in a row)" in page
    assert "No worker is running." in page
    assert page.index("Publish due items") < page.index("Drop old mail") < page.index("Expire budgets")
    assert 'href="/admin/reports/background-jobs/"' in admin_client.get("/admin/").content.decode()
    client.force_login(people.bob())
    assert client.get(REPORT).status_code in (302, 403)
