"""Where media files are kept, on a disk or in an object storage: what the site asks of either."""

import errno
import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, cast

from django.core.files.storage import FileSystemStorage, default_storage

#: What the system says of a name under which nothing can be read.
_NOTHING_THERE = {
    errno.EACCES,
    errno.EINVAL,
    errno.EISDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ENXIO,
}


class StorageUnavailable(OSError):
    """The storage does not answer, or refuses: a matter of the installation, not of the file asked for."""


class Section(Protocol):
    """Consecutive bytes of a file, read piece by piece."""

    def read(self, size: int = -1, /) -> bytes: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Stored:
    """A file that is there."""

    name: str
    size: int
    modified: datetime
    #: A strong ETag, with its quotation marks.
    tag: str


class MediaStorage(Protocol):
    """What storages add to Django's, for the view that serves media."""

    def find(self, name: str) -> Stored | None:
        """The file of this name, or None; a folder is no file."""

    def section(self, stored: Stored, start: int, length: int) -> Section:
        """Bytes of a file, never held in memory as a whole; FileNotFoundError where it has been deleted meanwhile."""

    def direct_address(self, name: str) -> str:
        """Where a visitor's browser can fetch the file itself for a while; empty where only the site can read it."""

    def is_known_missing(self, name: str) -> bool:
        """Whether the file is gone, if that can be told at once; False where asking would take a while."""


def media_storage() -> MediaStorage:
    """The storage that MEDIA_STORAGE_URL names."""
    return cast(MediaStorage, default_storage)


class LocalSection:
    """A section of a file on the disk; servers that know how to hand its descriptor to the kernel."""

    def __init__(self, descriptor: int, start: int, length: int) -> None:
        # Unbuffered, so that the descriptor stands where reading goes on.
        self._file = os.fdopen(descriptor, "rb", buffering=0)
        self._file.seek(start)
        self._left = length

    def fileno(self) -> int:
        return self._file.fileno()

    def read(self, size: int = -1, /) -> bytes:
        piece = self._file.read(self._left if size < 0 else min(size, self._left)) or b""
        self._left -= len(piece)
        return piece

    def close(self) -> None:
        self._file.close()


class LocalStorage(FileSystemStorage):
    """Files below MEDIA_ROOT; Django opens new ones exclusively, so that none is ever overwritten."""

    def find(self, name: str) -> Stored | None:
        descriptor = self._open_inside(name)
        if descriptor is None:
            return None
        try:
            found = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        modified = datetime.fromtimestamp(int(found.st_mtime), UTC)
        return Stored(name, found.st_size, modified, f'"{found.st_mtime_ns:x}-{found.st_size:x}"')

    def section(self, stored: Stored, start: int, length: int) -> Section:
        descriptor = self._open_inside(stored.name)
        if descriptor is None:
            raise FileNotFoundError(stored.name)
        return LocalSection(descriptor, start, length)

    def direct_address(self, name: str) -> str:
        return ""

    def is_known_missing(self, name: str) -> bool:
        return not self.exists(name)

    def _open_inside(self, name: str) -> int | None:
        """A descriptor of what the name leads to, if that is below the root: no link may lead out of it."""
        root = os.path.realpath(self.location)
        try:
            path = os.path.realpath(Path(root, name))
            if not path.startswith(root + os.sep):
                return None
            # A pipe would make the process wait for a writer.
            return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except ValueError:
            # A NUL, or a character that no file system has.
            return None
        except OSError as problem:
            if problem.errno in _NOTHING_THERE:
                return None
            raise StorageUnavailable(problem.errno, problem.strerror) from problem
