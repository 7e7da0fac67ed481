"""Restores a backup into an empty site.

Everything that can be refused is refused before anything is written. Then files are stored, and the database is loaded and
brought up to date; if any of that fails, all of it is removed again. Until all is done, a mark in the database keeps the site
from being served: the process may be killed at any moment.
"""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.core.files.base import File
from django.core.files.storage import Storage
from django.core.management import call_command
from django.db import transaction
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from cms_api.calendars.sequences import raise_sequences
from cms_api.core import jobs, leases, numbering, versions
from cms_api.core.former_migrations import find_former

from .archive import CHUNK_BYTES, MANIFEST, MISSING, SUMS, Reader, open_index
from .databases import Database, begin, database, filled_tables, finish, has_workers
from .files import storage_of, storages
from .types import BackupError, Manifest, some

#: The error of emails and deliveries that were waiting when the backup was made.
WAITING = "It was waiting when this backup was made, and may have been sent since."
#: More than the deliveries, and the changes of one appointment or event, that a site can make between its last backup and its
#: loss. More are left out for each second since the backup, so that restoring it again gives out no number for the second time.
UNUSED_IDS, UNUSED_IDS_PER_SECOND = 10_000_000, 1_000
UNUSED_SEQUENCES, UNUSED_SEQUENCES_PER_SECOND = 1_000, 1
#: The gap in the numbers of invoices, orders and so on, unless another one is asked for: more than a site gives out in a day.
UNUSED_NUMBERS = 1_000
#: Between the mark in the database and its first records: longer than a worker takes to look for work.
SETTLE_SECONDS = 2.0


@dataclass(frozen=True)
class Restored:
    """A finished restore. `stopped` counts, by name, what was waiting to be sent and will not be.

    `numbers` are the next numbers of the series in which a gap was left.
    """

    manifest: Manifest
    files: int
    missing: list[str]
    stopped: dict[str, int]
    numbers: dict[str, int]


def restore_backup(path: Path, *, send_queued: bool = False, number_gap: int = UNUSED_NUMBERS) -> Restored:
    """Restore a backup. Raises BackupError, and the site is then as empty as before.

    Unless `send_queued` says that nothing has happened since the backup, what the lost site may have done since then is not done
    again: see `_continue_lost_site`.
    """
    if not path.is_file():
        raise BackupError(f"There is no file {path}.")
    target = database()
    with (
        target.claim() as is_alone,
        _folder_in_var() as folder,
        closing(open_index(folder, "")) as index,
        closing(Reader(path, index)) as reader,
    ):
        if not is_alone:
            raise BackupError("Another restore into this database is running.")
        manifest = Manifest.parse(reader.first())
        loader = MigrationLoader(None)
        _check_fits(manifest, target, loader)
        _check_empty()
        target.check_tools()
        reader.verify()
        files = FileRestorer(reader, index, target.member)
        files.check()
        has_loaded = False
        is_first = begin()
        try:
            # A worker that was about to look for work has done so by then, while there was none.
            time.sleep(SETTLE_SECONDS)
            _check_workers()
            count = files.store()
            copy = folder / target.member
            with reader.open(target.member) as content, copy.open("wb") as extracted:
                shutil.copyfileobj(content, extracted, CHUNK_BYTES)
            has_loaded = True
            target.load(copy)
            if not set(loader.graph.nodes) <= set(manifest.migrations):
                call_command("migrate", interactive=False, verbosity=0)
            stopped, numbers = ({}, {}) if send_queued else _continue_lost_site(target, manifest, number_gap)
            _invalidate_all()
            finish()
        except BaseException as problem:
            # An interrupted restore must not look like a whole site either.
            _undo(problem, files, target if has_loaded else None)
            if is_first and not has_loaded:
                # Otherwise a restore before this one has loaded something, and was interrupted.
                finish()
            raise
        return Restored(manifest, count, files.missing(), stopped, numbers)


def _undo(problem: BaseException, files: "FileRestorer", loaded: Database | None) -> None:
    try:
        files.remove()
        if loaded:
            loaded.wipe()
    except Exception as other:
        raise BackupError(
            f"{problem} Then removing what had been restored failed too ({other}): "
            "empty the database and the storage of media before you try again."
        ) from problem


class FileRestorer:
    """Stores the files of an archive, and deletes those again that it stored."""

    def __init__(self, reader: Reader, index: sqlite3.Connection, database_member: str) -> None:
        self._reader, self._index = reader, index
        self._others = {MANIFEST, SUMS, MISSING, database_member}
        self._storages = storages()
        #: Files whose copying was interrupted.
        self._halves: set[str] = set()
        index.execute("CREATE TABLE stored (name TEXT PRIMARY KEY) WITHOUT ROWID")

    def check(self) -> None:
        """Raise BackupError if a member belongs nowhere, or another file has its place."""
        names = {name for name, _ in self._reader.names("database.")}
        if not names <= self._others or not names:
            raise BackupError("The backup has no database, or not one of this engine.")
        occupied = [(name, storage, own) for name, storage, own, digest in self._files() if not _is_free(storage, own, digest)]
        self._halves = {name for name, storage, own in occupied if self._is_half(name, storage, own)}
        in_the_way = [name for name, _, _ in occupied if name not in self._halves]
        if in_the_way:
            raise BackupError(
                f"Other files have the names of files in the backup: {some(in_the_way)}. "
                "Move them away, or set MEDIA_ROOT or MEDIA_STORAGE_URL to an empty place."
            )

    def store(self) -> int:
        """Store every file that is not there yet, and return the number of all."""
        count = 0
        for name, storage, own, _ in self._files():
            count += 1
            if name in self._halves:
                storage.delete(own)
            if storage.exists(own):
                continue
            self._index.execute("INSERT INTO stored VALUES (?)", (name,))
            with self._reader.open(name) as member:
                content = File(member, own)
                content.size = _size(content)
                if storage.save(own, content) != own:
                    raise BackupError(f"Another process stored a file named {name} at the same time. Stop the site first.")
        return count

    def remove(self) -> None:
        for (name,) in self._index.execute("SELECT name FROM stored"):
            if place := storage_of(name, self._storages):
                place[0].delete(place[1])

    def missing(self) -> list[str]:
        """Return the files that the backup itself says are missing or changed."""
        if MISSING not in {name for name, _ in self._reader.names(MISSING)}:
            return []
        with self._reader.open(MISSING) as content:
            return content.read().decode().splitlines()

    def _is_half(self, name: str, storage: Storage, own: str) -> bool:
        """Return whether a stored file is the beginning of one in the backup, as a restore leaves it that was killed."""
        with storage.open(own) as stored, self._reader.open(name) as member:
            while piece := stored.read(CHUNK_BYTES):
                if member.read(len(piece)) != piece:
                    return False
            return bool(member.read(1))

    def _files(self) -> Iterator[tuple[str, Storage, str, str]]:
        for name, digest in self._reader.names():
            if name in self._others:
                continue
            place = storage_of(name, self._storages)
            if place is None:
                raise BackupError(f"The backup has a file for a part of the site that is not installed: {name}.")
            yield name, *place, digest


def _size(content: File) -> int:
    size = content.seek(0, 2)
    content.seek(0)
    return int(size)


def _is_free(storage: Storage, name: str, digest: str) -> bool:
    """Return whether a file can be stored under a name, or is there already."""
    if not storage.exists(name):
        return True
    found = sha256()
    with storage.open(name) as content:
        while piece := content.read(CHUNK_BYTES):
            found.update(piece)
    return found.hexdigest() == digest


def _check_fits(manifest: Manifest, target: Database, loader: MigrationLoader) -> None:
    if manifest.engine != target.engine:
        raise BackupError(
            f"The backup is of a {manifest.engine} database, but this site uses {target.engine}: "
            "set DATABASE_URL to a database of the same kind."
        )
    if find_former(manifest.migrations):
        raise BackupError(
            f"The backup was made by a version before 0.9.0 ({manifest.product}). "
            "Restore it with that version, and take its database over with `manage.py adopt_database`."
        )
    disk = loader.disk_migrations
    known = {*disk, *(replaced for migration in disk.values() for replaced in migration.replaces)}
    unknown = [f"{app}.{name}" for app, name in manifest.migrations if (app, name) not in known]
    if unknown:
        raise BackupError(
            f"The backup was made by a newer version ({manifest.product}), or with modules that are not installed here: "
            f"its migrations {some(unknown)} are unknown. Restore it with that version."
        )


def _check_workers() -> None:
    if has_workers():
        raise BackupError(
            "A worker of this site is running, and would do at once what was waiting in the backup. Stop the site first; "
            "if it was killed, wait a minute."
        )


def _check_empty() -> None:
    _check_workers()
    if tables := filled_tables():
        raise BackupError(
            f"This site is not empty: there are records in {some(tables)}. Restore into a new database "
            "(SQLite: another VAR_DIR, or move db.sqlite3 away with its -wal and -shm files)."
        )


@transaction.atomic
def _continue_lost_site(target: Database, manifest: Manifest, number_gap: int) -> tuple[dict[str, int], dict[str, int]]:
    """Fail what was waiting to be sent, and leave out the numbers that the lost site may have given out since the backup.

    Jobs that charge or write to people because a date has come wait for a person: the lost site may have done so already.
    Receivers drop a delivery with an id that they know, calendars ignore a file with a SEQUENCE that they have seen, and two
    invoices must not have one number. Return how much was stopped, and the next numbers.
    """
    made_at = datetime.fromisoformat(manifest.made_at)
    made_at = made_at if made_at.tzinfo else made_at.replace(tzinfo=UTC)
    seconds = max(int((timezone.now() - made_at).total_seconds()), 0)
    jobs.pause_jobs(backup_of=made_at)
    numbers = numbering.leave_gap(number_gap) if number_gap else {}
    for model in leases.sending_models():
        target.skip_ids(model._meta.db_table, UNUSED_IDS + seconds * UNUSED_IDS_PER_SECOND)
    raise_sequences(UNUSED_SEQUENCES + seconds * UNUSED_SEQUENCES_PER_SECOND)
    return leases.fail_pending(WAITING), numbers


def _invalidate_all() -> None:
    # The backup may be of a site whose cache was in Redis.
    call_command("createcachetable", verbosity=0)
    with transaction.atomic():
        versions.bump_all()
    cache.clear()


@contextmanager
def _folder_in_var() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="restore-", dir=settings.VAR_DIR) as folder:
        yield Path(folder)
