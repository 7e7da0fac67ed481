"""Backups of a served site while writers use it: nothing that was acknowledged before a backup began is lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.servers import create_database, drop_database
from tests.conftest import database_of_this_run
from tests.serving import environment
from tests.webhooks.crash import ROOT, Site, served, site
from tests.webhooks.receiver import make_authority

from .load import Writers, check

pytestmark = pytest.mark.long

BACKUPS = int(os.environ.get("BACKUPS", "3"))
#: Items that are created between two backups.
BETWEEN = 30
#: The memory, in kB, by which a command may grow, beside media of 300 MB.
GROWTH = 40_000


def test_no_acknowledged_write_is_lost(tmp_path: Path, postgresql: str) -> None:
    """The plain copies are the positive control: those of SQLite's file lose writes."""
    authority = make_authority(_made(tmp_path / "certificates"))
    backups: list[tuple[Path, float, float]] = []
    copies: list[tuple[Path, float]] = []
    # Deliveries stay pending, for nobody listens there.
    changes = {"WEBHOOK_RETRY_DELAYS": "3600", "REDIS_URL": ""}
    with site(_made(tmp_path / "first"), authority, postgresql=postgresql, **changes) as where, served(where):
        where.subscribe("https://127.0.0.1:9/")
        with Writers(where) as writers:
            for number in range(BACKUPS):
                writers.wait_for((number + 1) * BETWEEN)
                if not postgresql:
                    copies.append((tmp_path / f"copy{number}.sqlite3", time.monotonic()))
                    shutil.copyfile(tmp_path / "first" / "db.sqlite3", copies[-1][0])
                backups.append((tmp_path / f"{number}.tar", time.monotonic(), 0))
                where.manage("backup", str(backups[-1][0]))
                backups[-1] = (*backups[-1][:2], time.monotonic())
    assert writers.failed == []
    total = 0
    for number, (archive, began, ended) in enumerate(backups):
        with ExitStack() as stack:
            restored = _new_site(where, tmp_path / f"restored{number}", postgresql, stack)
            restored.manage("restore", str(archive))
            found = check(restored)
            assert found["problems"] == []
            assert writers.items.wrong(found["items"], began, ended) == {}
            assert writers.pictures.wrong(found["pictures"], began, ended) == {}
            total += writers.items.acknowledged(began)
            if number == BACKUPS - 1:
                with served(restored):
                    assert set(restored.items()) == set(found["items"])
                    item = {"type": "blog-post", "data": {"title": "After the restore"}}
                    assert restored.call("POST", "/api/v1/content-items", item)[0] == 201
    lost = {path.name: len(writers.items.wrong(_items_in(path), began, began)) for path, began in copies}
    pictures = writers.pictures.acknowledged(backups[-1][1])
    print(f"{total} items acknowledged before {BACKUPS} backups, {pictures} pictures before the last; plain copies: {lost=}")
    assert postgresql or any(lost.values())


def test_memory_does_not_grow_with_media(tmp_path: Path, db: None) -> None:
    small, large = (_peaks(tmp_path / name, size) for name, size in (("small", 1), ("large", 300_000_000)))
    for command in ("backup", "restore"):
        assert large[command] - small[command] < GROWTH, (small, large)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _new_site(like: Site, folder: Path, postgresql: str, stack: ExitStack) -> Site:
    """A site without tables, with the environment of another."""
    variables = {**like.environment, "VAR_DIR": str(_made(folder))}
    if postgresql:
        name = f"{like.environment['DATABASE_URL'].rpartition('/')[2]}_{folder.name}"
        stack.callback(drop_database, postgresql, name)
        create_database(postgresql, name)
        variables["DATABASE_URL"] = f"{postgresql}/{name}"
    return replace(like, environment=variables)


def _items_in(path: Path) -> dict[int, str]:
    """The items in a copy of SQLite's file; none if it cannot be read."""
    try:
        with closing(sqlite3.connect(path)) as copy:
            return dict(copy.execute("SELECT id, title FROM content_contentitem"))
    except sqlite3.DatabaseError:
        return {}


def _peaks(folder: Path, size: int) -> dict[str, int]:
    """The most memory that either command used, in kB, on a site with a private file of this size."""
    variables = environment(_made(folder))
    shutil.copyfile(database_of_this_run(), folder / "db.sqlite3")
    creation = (
        "from django.utils.timezone import now; from commerce.imports.models import ImportRun;"
        "ImportRun.objects.create(kind='contacts', filename='a', file='large', encoding='utf-8', delimiter=',', created_at=now())"
    )
    subprocess.run([sys.executable, "manage.py", "shell", "-v0", "-c", creation], cwd=ROOT, env=variables, check=True)
    (folder / "private" / "imports").mkdir(parents=True)
    with (folder / "private" / "imports" / "large").open("wb") as file:
        file.truncate(size)
    peaks = {"backup": _peak(variables, "backup", str(folder / "site.tar"))}
    other = {**variables, "VAR_DIR": str(_made(folder / "other"))}
    peaks["restore"] = _peak(other, "restore", str(folder / "site.tar"))
    assert (folder / "other" / "private" / "imports" / "large").stat().st_size == size
    return peaks


def _peak(variables: dict[str, str], *words: str) -> int:
    process = subprocess.Popen([sys.executable, "manage.py", *words], cwd=ROOT, env=variables, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss
