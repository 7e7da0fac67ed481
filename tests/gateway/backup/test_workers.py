"""A worker that nobody has stopped takes nothing of what a restore loads before that is finished."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import connection

from cms_api.core.commands import is_unfinished
from cms_api.gateway.backup import restore
from cms_api.gateway.backup.databases import database
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services import queue
from tests.conftest import ROOT
from tests.serving import environment

from .sites import Sites, run

pytestmark = [pytest.mark.both_databases]

SENDS = 4.0


def send_mails() -> None:
    for number in range(3):
        context = {"product": f"Mug {number}", "left": "2", "product_url": "https://example.org/"}
        queue(template="low_stock", to=[f"ann{number}@example.com"], context=context)


@pytest.fixture
def archive(sites: Sites, tmp_path: Path) -> Path:
    """A backup of a site whose mails are waiting. The site in use is another one, without tables."""
    send_mails()
    run("backup", str(tmp_path / "site.tar"))
    sites.use("second", migrated=False)
    return tmp_path / "site.tar"


def url() -> str:
    name = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{name['NAME']}"
    return f"postgresql://{name['USER']}:{name['PASSWORD']}@{name['HOST']}:{name['PORT']}/{name['NAME']}"


@contextmanager
def worker(folder: Path) -> Iterator[None]:
    variables = environment(folder, DATABASE_URL=url(), EMAIL_URL=f"file://{folder / 'sent'}")
    with (folder / "worker.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "worker"], cwd=ROOT, env=variables, stdout=log, stderr=log, start_new_session=True
        )
    try:
        # It has looked for work a few times.
        time.sleep(SENDS)
        assert process.poll() is None
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def sent(folder: Path) -> int:
    return len(list((folder / "sent").glob("*"))) if (folder / "sent").exists() else 0


@pytest.mark.parametrize("words", [[], ["--send-queued"]], ids=["it works", "control: it is alive and sends"])
def test_a_worker_of_a_database_without_tables(
    words: list[str], sites: Sites, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restore, "SETTLE_SECONDS", 2.0)
    go_on = restore._continue_lost_site
    # A large database takes long to be analysed and migrated.
    monkeypatch.setattr(restore, "_continue_lost_site", lambda *args: (time.sleep(SENDS), go_on(*args))[1])
    with worker(tmp_path):
        run("restore", str(archive), *words)
        deadline = time.monotonic() + (20 if words else SENDS)
        while time.monotonic() < deadline and sent(tmp_path) < 3:
            time.sleep(0.2)
    assert (sent(tmp_path), OutgoingMail.objects.filter(state="failed").count()) == ((3, 0) if words else (0, 3))


def test_the_mark_is_there_before_the_first_file(sites: Sites, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    def store(files: Any) -> int:
        seen.append(is_unfinished())
        raise KeyboardInterrupt

    monkeypatch.setattr(restore.FileRestorer, "store", store)
    with pytest.raises(KeyboardInterrupt):
        run("restore", str(archive))
    assert (seen, is_unfinished()) == ([True], False)


def test_a_second_restore_that_is_refused_leaves_the_mark_of_the_first(
    sites: Sites, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records that the first one has loaded would look like a whole site."""
    restore.begin()
    monkeypatch.setattr(restore.FileRestorer, "store", lambda files: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run("restore", str(archive))
    assert is_unfinished()
    with pytest.raises(CommandError, match="restore into this database is running, or was interrupted"):
        run("status")


def test_two_restores_at_once(sites: Sites, archive: Path) -> None:
    """The one that fails would remove what the other has loaded."""
    with database().claim() as is_alone:
        assert is_alone
        with pytest.raises(CommandError, match="Another restore into this database is running"):
            run("restore", str(archive))
    run("restore", str(archive))
    assert OutgoingMail.objects.count() == 3
