"""Files that only the user of the site may read."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile

from cms_api.auth.services.budgets import SqliteFile
from cms_api.core.private_files import create_private, keep_private, make_private
from cms_api.core.sqlite.base import DatabaseWrapper
from cms_api.media.services.storage import LocalStorage
from config.settings import environment

ROOT = Path(__file__).resolve().parents[2]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def readable(folder: Path) -> set[str]:
    """The files and folders that others than the owner may read or enter."""
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if mode(each) & 0o077}


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    former = os.umask(0o022)
    yield
    os.umask(former)


def test_it_works(tmp_path: Path) -> None:
    folder = tmp_path / "var"
    (folder / "media" / "2026").mkdir(parents=True)
    (folder / "media" / "2026" / "x.jpg").write_text("x")
    (folder / "run.sh").write_text("x")
    (folder / "run.sh").chmod(0o755)
    outside = tmp_path / "outside"
    outside.write_text("x")
    (folder / "link").symlink_to(outside)
    keep_private(folder)
    assert (mode(folder), mode(folder / "run.sh"), mode(folder / "media/2026/x.jpg")) == (0o700, 0o700, 0o600)
    assert mode(outside) == 0o644
    (folder / "new").mkdir()
    (folder / "new" / "file").write_text("x")
    assert readable(folder) <= {"link"}


def test_a_shared_folder_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    make_private(tmp_path)
    assert mode(tmp_path) == 0o1777
    make_private(tmp_path / "missing")


@pytest.mark.django_db
@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.both_databases
def test_a_database_and_its_logs(tmp_path: Path, exists: bool) -> None:
    path = tmp_path / "db.sqlite3"
    if exists:
        path.touch(mode=0o644)
    tested = DatabaseWrapper({**settings.DATABASES["default"], **environment.sqlite(path), "TIME_ZONE": None}, "tested")
    with tested.cursor() as cursor:
        cursor.execute("CREATE TABLE a (b)")
        assert {each.name for each in tmp_path.iterdir()} == {"db.sqlite3", "db.sqlite3-wal", "db.sqlite3-shm"}
        assert readable(tmp_path) == set()
    tested.close()


def test_logs_that_were_left_open(tmp_path: Path) -> None:
    for name in ("a", "a-wal", "a-shm", "a-journal"):
        (tmp_path / name).touch(mode=0o644)
    create_private(str(tmp_path / "a"))
    assert readable(tmp_path) == set()


def test_counters(tmp_path: Path) -> None:
    SqliteFile(str(tmp_path / "budgets.sqlite3")).spend("test")
    assert readable(tmp_path) == set()


def test_media(tmp_path: Path) -> None:
    LocalStorage(location=tmp_path / "media").save("media/2026/03/x.jpg", ContentFile(b"x"))
    assert readable(tmp_path / "media") == set()


def test_a_random_key_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "secret_key"
    key = environment.development_key(path)
    assert len(key) > 60
    assert key == environment.development_key(path)
    assert [each.name for each in tmp_path.iterdir()] == ["secret_key"]
    assert mode(path) == 0o600
    path.write_text("")
    with pytest.raises(ImproperlyConfigured, match="no key"):
        environment.development_key(path)


def test_processes_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    code = "from config.settings.dev import SECRET_KEY as key; print(key)"
    kept = {name: value for name, value in os.environ.items() if name not in {"SECRET_KEY", "DJANGO_SETTINGS_MODULE"}}
    variables = {**kept, "VAR_DIR": str(tmp_path), "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'site'}"}
    command = [sys.executable, "-c", code]
    started = [subprocess.Popen(command, env=variables, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    keys = {each.communicate(timeout=60)[0].strip() for each in started}
    assert keys == {(tmp_path / "secret_key").read_text()}


def test_sqlite_gives_logs_the_permissions_of_the_file(tmp_path: Path) -> None:
    """`create_private` relies on it."""
    path = tmp_path / "a"
    path.touch(mode=0o600)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE a (b)")
    assert mode(tmp_path / "a-wal") == 0o600
    connection.close()


@pytest.mark.parametrize("is_reopened", [False, True], ids=["as it is", "control: opened and closed"])
def test_a_database_in_use_keeps_its_log(tmp_path: Path, is_reopened: bool) -> None:
    """A process that closes any descriptor of a file gives up its locks on it: then others delete the log that it uses."""
    path = tmp_path / "a"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE a (b)")
    create_private(str(path))
    if is_reopened:
        os.close(os.open(path, os.O_RDWR))
    code = "import sqlite3, sys; other = sqlite3.connect(sys.argv[1]); other.execute('SELECT * FROM a').fetchall(); other.close()"
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert (tmp_path / "a-wal").exists() is not is_reopened
    connection.close()
