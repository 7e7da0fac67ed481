"""The client programs of PostgreSQL: what is said if they are missing or too old, and how they are given the password."""

import os
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.db import connection

from .sites import Sites, run

pytestmark = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite needs no client programs.")


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
