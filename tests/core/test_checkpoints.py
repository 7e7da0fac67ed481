"""Checkpoints of SQLite: a worker copies the log, and stops at once."""

from pathlib import Path

import pytest
from django.db import connection

from cms_api.core.models import Version
from cms_api.core.sqlite import checkpoints
from cms_api.core.sqlite.checkpoints import Checkpoints, checkpoint
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)

on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="Other databases make their own.")


def changed_at() -> int:
    """When the database file was changed. It must not be opened: that would end the locks that SQLite has in this process."""
    return Path(str(connection.settings_dict["NAME"])).stat().st_mtime_ns


def write(count: int = 5) -> None:
    for number in range(count):
        Version.objects.create(name=f"tests.{number}", value=number)


@on_sqlite
def test_it_works() -> None:
    checkpoint()
    write()
    pages, copied = checkpoint()
    assert pages == copied > 0


@on_sqlite
def test_a_worker_makes_them_until_it_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "PAUSE_SECONDS", 0.01)
    checkpoint()
    before = changed_at()
    worker = Checkpoints()
    worker.start()
    try:
        write()
        until(lambda: changed_at() != before)
    finally:
        worker.stop()
    assert not worker._thread.is_alive()


@on_sqlite
def test_control_without_a_worker_a_few_writes_stay_in_the_log() -> None:
    checkpoint()
    before = changed_at()
    write()
    assert changed_at() == before


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one.")
def test_there_is_none_for_other_databases() -> None:
    worker = Checkpoints()
    worker.start()
    worker.stop()
    assert worker._thread.ident is None
