"""Makes a backup of a site that is in use.

Files are copied first and the database last. A file that is deleted meanwhile is in the backup already, and one that is added
is copied after the database. Only a file that is replaced, or added and deleted again, in the moment around that copy can be
missed; then the database is copied once more.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from django.core.exceptions import SuspiciousFileOperation

from cms_api.core.commands import INTERRUPTED, is_unfinished

from .archive import MANIFEST, MISSING, Writer, is_plain_name, open_index
from .databases import PASSING, Database, database, is_new
from .files import FileColumn, file_columns, storage_of, storages
from .types import FORMAT, BackupError, Manifest, Rows, applied_migrations, product_version

#: Copies of the database that are made at most, until one matches the files.
ROUNDS = 5

_SCHEMA = """
CREATE TABLE wanted (name TEXT, expected TEXT, PRIMARY KEY (name, expected)) WITHOUT ROWID;
CREATE TABLE todo (name TEXT, expected TEXT);
CREATE TABLE copied (name TEXT, expected TEXT, sha256 TEXT, problem TEXT, PRIMARY KEY (name, expected)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Made:
    """A finished backup; `problems` names files that records refer to and that are missing or differ from their record."""

    path: Path
    size: int
    files: int
    problems: list[str]


def create_backup(path: Path) -> Made:
    """Write a backup to a file that does not exist yet. Raises BackupError and leaves nothing behind."""
    _check_target(path)
    if is_new():
        raise BackupError("There is nothing to back up: the database has no tables.")
    if is_unfinished():
        raise BackupError(INTERRUPTED)
    source = database()
    source.check_tools()
    with _folder_beside(path) as folder, ExitStack() as stack:
        index = stack.enter_context(closing(open_index(folder, _SCHEMA)))
        unfinished = folder / "archive"
        writer = stack.enter_context(closing(Writer(unfinished, index)))
        with source.live() as rows:
            migrations = applied_migrations(rows)
        made_at = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = Manifest(FORMAT, product_version(), source.engine, made_at, sorted(migrations))
        writer.add(MANIFEST, BytesIO(manifest.serialize()))
        collector = Collector(writer, index)
        copy = folder / source.member
        if _copy_consistently(source, copy, collector) != migrations:
            raise BackupError("The site was migrated while it was backed up. Run the backup again.")
        with copy.open("rb") as content:
            writer.add(source.member, content)
        problems = list(collector.problems())
        if problems:
            writer.add(MISSING, BytesIO("".join(f"{problem}\n" for problem in problems).encode()))
        writer.finish(folder / "sums")
        size = unfinished.stat().st_size
        _check_target(path)
        unfinished.rename(path)
        return Made(path, size, collector.count(), problems)


def _copy_consistently(source: Database, copy: Path, collector: "Collector") -> frozenset[tuple[str, str]]:
    """Copy files and database until they match, and return the migrations of the copy."""
    # The long part, before which no copy of the database is worth making.
    with source.live() as rows:
        collector.want(rows)
    collector.copy()
    for _ in range(ROUNDS):
        with source.live() as rows:
            collector.want(rows)
        collector.copy()
        copy.unlink(missing_ok=True)
        with source.dump(copy, without=PASSING) as rows:
            collector.want(rows)
            migrations = applied_migrations(rows)
        if collector.copy():
            break
    return migrations


class Collector:
    """Copies the files that records refer to into the archive, each once."""

    def __init__(self, writer: Writer, index: sqlite3.Connection) -> None:
        self._writer, self._index = writer, index
        self._storages = storages()
        self._columns: list[FileColumn] = file_columns()

    def want(self, rows: Rows) -> None:
        """Take the references from a state of the database in place of earlier ones."""
        self._index.execute("BEGIN")
        self._index.execute("DELETE FROM wanted")
        for column in self._columns:
            self._index.executemany("INSERT OR IGNORE INTO wanted VALUES (?, ?)", column.references(rows))
        self._index.execute("COMMIT")

    def copy(self) -> bool:
        """Copy the wanted files that are not in the archive; return whether that is certain to match their records.

        A file that is missing, or is not what its record expects, counts as certain once nothing has changed since the last
        time: records of such files were there before the backup.
        """
        self._index.execute("DELETE FROM todo")
        self._index.execute(
            "INSERT INTO todo SELECT name, expected FROM wanted"
            " WHERE NOT EXISTS (SELECT 1 FROM copied WHERE (copied.name, copied.expected) = (wanted.name, wanted.expected)"
            " AND problem = '')"
        )
        is_certain = True
        for name, expected in self._index.execute("SELECT name, expected FROM todo ORDER BY name"):
            found = self._copy_one(name, expected)
            query = "SELECT sha256, problem FROM copied WHERE name = ? AND expected = ?"
            is_certain &= not found[1] or self._index.execute(query, (name, expected)).fetchone() == found
            self._index.execute("REPLACE INTO copied VALUES (?, ?, ?, ?)", (name, expected, *found))
        return is_certain

    def count(self) -> int:
        query = "SELECT count(DISTINCT name) FROM wanted JOIN copied USING (name, expected) WHERE sha256 <> ''"
        count: int = self._index.execute(query).fetchone()[0]
        return count

    def problems(self) -> Iterator[str]:
        """Yield what the operator has to know of the wanted files."""
        query = "SELECT name, problem FROM wanted JOIN copied USING (name, expected) WHERE problem <> '' ORDER BY name"
        yield from (f"{name} ({problem})" for name, problem in self._index.execute(query))

    def _copy_one(self, name: str, expected: str) -> tuple[str, str]:
        """Copy a file; return its SHA-256 and the problem with it, or empty texts."""
        place = storage_of(name, self._storages)
        if place is None or not is_plain_name(name):
            return "", "missing"
        storage, own_name = place
        try:
            content = storage.open(own_name)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, SuspiciousFileOperation):
            return "", "missing"
        with content:
            hashed = self._writer.add(name, content)
        matches = not expected or hashed.sha1.hexdigest() == expected
        return hashed.sha256.hexdigest(), "" if matches else "changed"


def _check_target(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise BackupError(f"{path} exists. Delete it first, or name another file.")
    if not path.parent.is_dir():
        raise BackupError(f"There is no folder {path.parent}.")


@contextmanager
def _folder_beside(path: Path) -> Iterator[Path]:
    """A folder that only this user may read, in the same file system, deleted at the end."""
    folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
