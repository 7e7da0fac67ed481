"""Migrations on PostgreSQL while the site is served: readers do not wait for long, and one process migrates at a time."""

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from cms_api.core.management.commands import migrate
from tests.gateway.next_release.content_migrations import LAST
from tests.waiting import another_session, until, waiting

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer, and readers never wait."),
]


@pytest.fixture
def next_release(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The next release's migrations, not applied yet."""
    settings.MIGRATION_MODULES = {"content": "tests.gateway.next_release.content_migrations"}
    monkeypatch.setattr(migrate, "LOCK_TIMEOUT_MS", 300)
    monkeypatch.setattr(migrate, "PAUSE_SECONDS", 0.5)
    yield
    call_command("migrate", "content", LAST, verbosity=0)


def migrate_in_a_thread() -> threading.Thread:
    def run() -> None:
        call_command("migrate", "content", verbosity=0)
        connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def is_migrated() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_indexes WHERE indexname = 'item_reviewed'")
        return bool(cursor.fetchone()[0])


@pytest.mark.parametrize("limit", [300, 0], ids=["limited", "control: not limited"])
def test_readers_pass_a_migration_that_waits(next_release: None, monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """A long transaction, such as a backup's, delays the migration. Readers that come later do not wait for both."""
    monkeypatch.setattr(migrate, "LOCK_TIMEOUT_MS", limit)
    with another_session() as backup, another_session() as reader:
        backup.execute("SELECT id FROM content_contentitem LIMIT 1")
        migrating = migrate_in_a_thread()
        until(waiting)
        reader.execute("SET statement_timeout = 5000")
        try:
            if limit:
                reader.execute("SELECT id FROM content_contentitem LIMIT 1")
                reader.commit()
            else:
                with pytest.raises(psycopg.errors.QueryCanceled):
                    reader.execute("SELECT id FROM content_contentitem LIMIT 1")
            assert not is_migrated()
        finally:
            backup.rollback()
            reader.rollback()
            migrating.join()
    assert is_migrated()


def test_a_table_that_stays_in_use(next_release: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "ATTEMPTS", 2)
    with another_session() as backup:
        backup.execute("SELECT id FROM content_contentitem LIMIT 1")
        with pytest.raises(CommandError, match="Nothing is broken"):
            call_command("migrate", "content", verbosity=0)
    assert not is_migrated()


def test_two_processes_migrate_one_after_the_other(next_release: None) -> None:
    with another_session() as other:
        other.autocommit = True
        other.execute("SELECT pg_advisory_lock(%s)", [migrate.MIGRATION_LOCK_ID])
        migrating = migrate_in_a_thread()
        migrating.join(2)
        assert migrating.is_alive()
        assert not is_migrated()
        other.execute("SELECT pg_advisory_unlock(%s)", [migrate.MIGRATION_LOCK_ID])
        migrating.join()
    assert is_migrated()
