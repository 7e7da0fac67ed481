"""The client programs of PostgreSQL: what is said if they are missing or too old, their password, and partitions."""

import os
import time
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError
from django.db import connection
from django.utils import timezone

from cms_api.analytics.models import Event
from cms_api.analytics.services import partitions
from cms_api.analytics.services.partitions import TABLE
from cms_api.analytics.services.storing import store
from cms_api.gateway.backup.databases import database
from tests.analytics.builders import DAY, view
from tests.waiting import another_session

from .sites import Sites, rows, run

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite needs no client programs."),
    pytest.mark.both_databases,
]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are looked for."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o700)


def version() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version_num")
        return int(cursor.fetchone()[0]) // 10000


def test_a_missing_program_is_named(db: None, programs: Path, tmp_path: Path) -> None:
    wanted = f"pg_dump is not installed: .*version {version()} or newer .Debian: postgresql-client-{version()}"
    with pytest.raises(CommandError, match=wanted):
        run("backup", str(tmp_path / "site.tar"))
    assert sorted(os.listdir(tmp_path)) == ["bin"]


def test_a_program_that_is_too_old_is_named(db: None, programs: Path, tmp_path: Path) -> None:
    install(programs, "pg_dump", "echo 'pg_dump (PostgreSQL) 9.6.24'")
    with pytest.raises(CommandError, match=f"pg_dump is of version 9, but the server of version {version()}"):
        run("backup", str(tmp_path / "site.tar"))


def test_the_reason_of_a_failure_is_shown(sites: Sites, programs: Path, tmp_path: Path) -> None:
    for name in ("pg_dump", "pg_restore"):
        install(
            programs, name, f'case "$*" in --version) echo "{name} {version()}.1";; *) echo "no space left" >&2; exit 1;; esac'
        )
    with pytest.raises(CommandError, match=r"No backup was made\. pg_dump failed: no space left"):
        run("backup", str(tmp_path / "site.tar"))


def test_the_password_is_not_on_the_command_line(sites: Sites, programs: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    for name in ("pg_dump", "pg_restore"):
        install(programs, name, f'echo "$*" >> {seen}; echo "password: $PGPASSWORD" >> {seen}; echo "{name} {version()}.1"')
    connection.ensure_connection()
    given = connection.settings_dict["PASSWORD"]
    connection.settings_dict["PASSWORD"] = "p'q secret"
    try:
        with pytest.raises(CommandError):
            run("backup", str(tmp_path / "site.tar"))
    finally:
        connection.settings_dict["PASSWORD"] = given
    commands = [line for line in seen.read_text().splitlines() if not line.startswith("password: ")]
    assert any("--snapshot=" in command for command in commands)
    assert not any("secret" in command for command in commands)
    assert "password: p'q secret" in seen.read_text()


def test_partitions_of_events_come_back(sites: Sites, tmp_path: Path) -> None:
    archive, now = tmp_path / "site.tar", time.time()
    partitions.make_coming()
    # Of today, and of a day without a partition.
    present = view("/now", now)
    store([present, view("/then", now - 30 * DAY)])
    before, names = rows(), partition_names()
    run("backup", str(archive))
    sites.use("second")
    assert len(partition_names()) < len(names)
    run("restore", str(archive))
    assert (rows(), partition_names()) == (before, names)
    # They go on being used, made and dropped.
    store([present, view("/new", now + 1)])
    assert Event.objects.count() == 3
    partitions.make_coming()
    assert partition_names() == names
    partitions.drop_before(timezone.localdate() + timedelta(days=1))
    assert Event.objects.values_list("path", flat=True).get() == "/then"


def partition_names() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass ORDER BY 1", [TABLE])
        return [name for (name,) in cursor.fetchall()]


def test_a_restore_that_was_killed_loads_nothing_more(db: None) -> None:
    """Its client program goes on without it, and would load its records beside those of the next restore."""
    with another_session(application_name="pg_restore") as leftover, another_session() as other:
        with database().claim() as is_alone:
            assert is_alone
            with pytest.raises(psycopg.OperationalError):
                leftover.execute("SELECT 1")
        other.execute("SELECT 1")
