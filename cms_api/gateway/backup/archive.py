"""The archive: a tar file of the manifest, files, the database, and last the SHA-256 sums of all members.

Both directions read and write a piece at a time, and remember the members in a database on disk, so the memory they need does
not depend on the size of the site. `tar` and `sha256sum -c SHA256SUMS` read the archive too.
"""

import hashlib
import io
import os
import re
import sqlite3
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from .types import BackupError

MANIFEST, SUMS, MISSING = "backup.json", "SHA256SUMS", "missing.txt"
CHUNK_BYTES = 1024 * 1024
_SUM = re.compile(r"([0-9a-f]{64})  (.+)\n", re.DOTALL)


class Hashed:
    """A file whose digests are computed while it is read."""

    def __init__(self, content: IO[bytes]) -> None:
        self._content = content
        self.sha1, self.sha256 = hashlib.sha1(usedforsecurity=False), hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self._content.read(size)
        self.sha1.update(piece)
        self.sha256.update(piece)
        return piece


def open_index(folder: Path, schema: str) -> sqlite3.Connection:
    """Return a temporary database that need not survive this process."""
    index = sqlite3.connect(folder / "index.sqlite3", isolation_level=None)
    index.execute("PRAGMA journal_mode=OFF")
    index.execute("PRAGMA synchronous=OFF")
    index.executescript(schema)
    return index


class Writer:
    """Writes a new archive. A member that is added twice is the latter, as in any tar file."""

    def __init__(self, path: Path, index: sqlite3.Connection) -> None:
        self._index = index
        index.execute("CREATE TABLE sums (name TEXT PRIMARY KEY, sha256 TEXT) WITHOUT ROWID")
        self._file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        self._tar = tarfile.open(fileobj=self._file, mode="w", format=tarfile.PAX_FORMAT)  # noqa: SIM115 - see `close`

    def add(self, name: str, content: IO[bytes]) -> Hashed:
        """Add a member with the content of a file, which must be seekable, and return its digests."""
        size = content.seek(0, io.SEEK_END)
        content.seek(0)
        hashed = Hashed(content)
        self._add(name, size, hashed)
        self._index.execute("REPLACE INTO sums VALUES (?, ?)", (name, hashed.sha256.hexdigest()))
        return hashed

    def _add(self, name: str, size: int, content: Any) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode, member.mtime = size, 0o600, int(time.time())
        self._tar.addfile(member, content)
        self._tar.members.clear()  # type: ignore[attr-defined]

    def finish(self, sums: Path) -> None:
        """Add the sums, and write everything to the disk."""
        with sums.open("wb") as target:
            for name, digest in self._index.execute("SELECT name, sha256 FROM sums ORDER BY name"):
                target.write(f"{digest}  {name}\n".encode())
        with sums.open("rb") as content:
            self._add(SUMS, sums.stat().st_size, content)
        self._tar.close()
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


class Reader:
    """Reads an archive. Its members are known, and their content is sure, after `verify`."""

    def __init__(self, path: Path, index: sqlite3.Connection) -> None:
        self._index = index
        index.execute("CREATE TABLE members (name TEXT PRIMARY KEY, start INT, size INT, sha256 TEXT) WITHOUT ROWID")
        try:
            self._tar = tarfile.open(path, "r:")  # noqa: SIM115 - see `close`
        except tarfile.TarError as problem:
            raise BackupError(f"{path} is not a backup of a site.") from problem

    def first(self) -> bytes:
        """Return the manifest's content."""
        member = self._next()
        if member is None or member.name != MANIFEST or member.size > CHUNK_BYTES * 64:
            raise BackupError("The file is not a backup of a site.")
        content = self._record(member)
        return content.read()

    def verify(self) -> None:
        """Read everything once and compare it with the sums. Raises BackupError if the archive is damaged or incomplete."""
        name = MANIFEST
        while (member := self._next()) is not None:
            name = member.name
            self._record(member)
        if name != SUMS or not self._sums_match():
            raise BackupError("The backup is damaged or incomplete: its content does not match its checksums.")

    def names(self, prefix: str = "") -> Iterator[tuple[str, str]]:
        """Yield the name and the SHA-256 digest of each member that begins with a prefix, in the order of the archive."""
        query = "SELECT name, sha256 FROM members WHERE substr(name, 1, ?) = ? ORDER BY start"
        yield from self._index.execute(query, (len(prefix), prefix))

    def open(self, name: str) -> IO[bytes]:
        start, size = self._index.execute("SELECT start, size FROM members WHERE name = ?", (name,)).fetchone()
        member = tarfile.TarInfo(name)
        member.offset_data, member.size = start, size
        return self._section(member)

    def close(self) -> None:
        self._tar.close()

    def _next(self) -> tarfile.TarInfo | None:
        try:
            member = self._tar.next()
        except (tarfile.TarError, OSError, ValueError) as problem:
            raise BackupError("The backup is damaged or incomplete.") from problem
        self._tar.members.clear()  # type: ignore[attr-defined]
        if member is not None and not _is_plain(member):
            raise BackupError(f"The backup has a member that no site writes: {member.name!r}.")
        return member

    def _record(self, member: tarfile.TarInfo) -> IO[bytes]:
        """Read a member, remember its place and digest, and return it."""
        digest = hashlib.sha256()
        with self._section(member) as content:
            try:
                while piece := content.read(CHUNK_BYTES):
                    digest.update(piece)
            except tarfile.TarError as problem:
                raise BackupError("The backup is damaged or incomplete.") from problem
        place = (member.name, member.offset_data, member.size, digest.hexdigest())
        self._index.execute("REPLACE INTO members VALUES (?, ?, ?, ?)", place)
        return self._section(member)

    def _section(self, member: tarfile.TarInfo) -> IO[bytes]:
        content = self._tar.extractfile(member)
        assert content is not None
        return content

    def _sums_match(self) -> bool:
        """Compare the list of sums with the members: each must be listed, and have its sum."""
        count = 0
        with io.TextIOWrapper(self.open(SUMS), newline="\n") as lines:
            for line in lines:
                found = _SUM.fullmatch(line)
                if found is None:
                    return False
                query = "SELECT 1 FROM members WHERE name = ? AND sha256 = ?"
                if self._index.execute(query, (found[2], found[1])).fetchone() is None:
                    return False
                count += 1
        members: int = self._index.execute("SELECT count(*) FROM members").fetchone()[0]
        return members == count + 1


def is_plain_name(name: str) -> bool:
    """Return whether a name leads nowhere else, and fits on a line."""
    return not {"", ".", ".."} & set(name.split("/")) and not set("\\\n\r\0") & set(name)


def _is_plain(member: tarfile.TarInfo) -> bool:
    is_ordinary = member.type == tarfile.REGTYPE and getattr(member, "sparse", None) is None
    return is_ordinary and is_plain_name(member.name)
