"""Several workers share what is due, each mail is sent once, and a worker may die in the midst of it."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from cms_api.core.queues import Round, Runner
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.sending import SENDING, send_due
from tests.client import together

from .conftest import Write
from .postoffice import PostOffice, wait_until

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[2]
MAILS = 100


def send_with(workers: int) -> list[Round]:
    found: list[Round] = together(lambda _: send_due(), workers)
    return found


def addresses(office: PostOffice) -> Counter[str]:
    return Counter(address for taken in office.taken for address in taken.recipients)


def write_many(write: Write, count: int) -> None:
    with transaction.atomic():
        for number in range(count):
            write(f"person{number}@example.com")


def test_it_works_with_two_workers(write: Write, office: PostOffice) -> None:
    write_many(write, MAILS)
    rounds = send_with(2)
    assert sum(found.attempts for found in rounds) == MAILS
    assert min(found.attempts for found in rounds) > 0
    assert addresses(office) == {f"person{number}@example.com": 1 for number in range(MAILS)}
    assert set(OutgoingMail.objects.values_list("state", "attempts")) == {("sent", 1)}
    assert office.connections == 2


def test_without_the_claim_they_would_send_twice(write: Write, office: PostOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a worker that takes what is due without asking whether another has."""
    write_many(write, 20)
    monkeypatch.setattr("cms_api.core.leases.take", lambda *_, **__: True)
    office.before_answer = lambda: time.sleep(0.01)
    send_with(2)
    assert max(addresses(office).values()) > 1


def database_url() -> str:
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    user = given["USER"] + (f":{given['PASSWORD']}" if given["PASSWORD"] else "")
    return f"postgresql://{user}@{given['HOST']}:{given['PORT'] or 5432}/{given['NAME']}"


def test_a_worker_that_is_killed(write: Write, office: PostOffice, tmp_path: Path) -> None:
    """Between the server's taking the mail and the note of it: nobody touches it until the lease is over, then it goes again."""
    mail = write()
    go = threading.Event()
    office.before_answer = lambda: go.wait(60) and None
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "DATABASE_URL": database_url(),
        "VAR_DIR": str(tmp_path),
        "EMAIL_URL": office.url,
    }
    program = "import django; django.setup(); from cms_api.mail.services.sending import send_due; send_due()"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, 'site'); {program}"]
    worker = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        wait_until(lambda: office.taken)
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        go.set()
    mail.refresh_from_db()
    assert (mail.state, mail.attempts, mail.lost) == ("waiting", 1, 1)
    assert (send_due().attempts, len(office.taken)) == (0, 1)
    OutgoingMail.objects.update(next_attempt_at=timezone.now())
    assert send_due().attempts == 1
    mail.refresh_from_db()
    assert (mail.state, mail.attempts, mail.lost) == ("sent", 2, 0)
    first, second = office.taken
    assert first.message["Message-ID"] == second.message["Message-ID"]


def test_a_change_that_is_undone_mails_nobody(write: Write, office: PostOffice) -> None:
    with transaction.atomic():
        write()
        transaction.set_rollback(True)
    assert (send_due().attempts, OutgoingMail.objects.count()) == (0, 0)


def test_the_runner_sends_what_comes(write: Write, office: PostOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SENDING, "pause", 0.05)
    sender = Runner("mail", SENDING)
    sender.start()
    try:
        write("a@example.com")
        wait_until(lambda: len(office.taken) == 1)
        write("b@example.com")
        wait_until(lambda: OutgoingMail.objects.filter(state="sent").count() == 2)
    finally:
        sender.stop()


def test_a_locked_database_does_not_stop_the_runner_for_long(
    write: Write, office: PostOffice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pause after an outage of the mail server is for that alone; here it would never end."""
    locked = [True]

    def attempt_all(rows: Iterator[OutgoingMail]) -> Round:
        if locked:
            locked.pop()
            raise OperationalError("database is locked")
        return attempt(rows)

    attempt = SENDING._attempt_all
    monkeypatch.setattr(SENDING, "_attempt_all", attempt_all)
    monkeypatch.setattr(SENDING, "pause", 0.05)
    monkeypatch.setattr(SENDING, "outage", 3600)
    monkeypatch.setattr("cms_api.core.queues.FAILED_POLL_SECONDS", 0.05)
    write("a@example.com")
    sender = Runner("mail", SENDING)
    sender.start()
    try:
        wait_until(lambda: not locked)
        OutgoingMail.objects.update(next_attempt_at=timezone.now())
        wait_until(lambda: len(office.taken) == 1)
    finally:
        sender.stop()


def test_the_runner_lives_through_an_outage(
    write: Write, office: PostOffice, settings: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One attempt, then a pause; what waits goes out once the server is back."""
    settings.EMAIL_PORT = 1  # type: ignore[attr-defined]
    write("a@example.com")
    write("b@example.com")
    monkeypatch.setattr(SENDING, "pause", 0.05)
    monkeypatch.setattr(SENDING, "outage", 0.3)
    sender = Runner("mail", SENDING)
    sender.start()
    try:
        wait_until(lambda: OutgoingMail.objects.filter(failures=1).exists())
        settings.EMAIL_PORT = office.port  # type: ignore[attr-defined]
        OutgoingMail.objects.update(next_attempt_at=timezone.now())
        wait_until(lambda: len(office.taken) == 2)
    finally:
        sender.stop()
