"""Storage backends of media files, a disk or an object storage, and the interface that the site needs of either."""

import errno
import os
import stat
import threading
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, cast

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

from cms_api.core import outages
from cms_api.core.outages import FilesUnavailable
from cms_api.http.files import Section, ServedStorage, Stored

#: System errors for a name under which nothing can be read.
_NOT_FOUND = {
    errno.EACCES,
    errno.EINVAL,
    errno.EISDIR,
    errno.ELOOP,
    errno.ENAMETOOLONG,
    errno.ENOENT,
    errno.ENOTDIR,
    errno.ENXIO,
}


#: System errors of a folder into which this process may not write, or whose file system is away.
_NOT_WRITABLE = {errno.EACCES, errno.ENOTCONN, errno.EPERM}


class StorageUnavailable(OSError, FilesUnavailable):
    """The storage does not respond or refuses access: a problem of the installation, not of the requested file."""


class MediaStorage(ServedStorage, Protocol):
    """The additions to Django's storage interface that the media view needs."""

    def direct_address(self, name: str) -> str:
        """Return a temporary URL of the file for visitors' browsers; empty if only the site can read the storage."""

    def is_known_missing(self, name: str) -> bool:
        """Return True if the file is known to be missing; False if checking would take a while."""


def media_storage() -> MediaStorage:
    """Return the storage that MEDIA_STORAGE_URL configures."""
    return cast(MediaStorage, default_storage)


class LocalSection:
    """A section of a file on disk, with its path for servers that read it themselves, from the position of its descriptor."""

    def __init__(self, descriptor: int, path: str, start: int, length: int) -> None:
        self.name = path
        # Unbuffered, so that the descriptor's position is the read position.
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

    #: The name that this thread's latest file was given.
    _chosen = threading.local()

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        self._chosen.name = found = super().get_available_name(name, max_length)
        return found

    def _save(self, name: str, content: File) -> str:
        """Save the file; if it cannot be written, leave no part of it. Raises StorageUnavailable."""
        try:
            return cast(str, super()._save(name, content))  # type: ignore[misc]
        except OSError as problem:
            is_refused = problem.errno in _NOT_WRITABLE
            if is_refused or outages.find(problem):
                # A disk that cannot be written has no part of it.
                with suppress(OSError):
                    # Django takes another name if this one was taken meanwhile.
                    self.delete(self._chosen.name)
            if is_refused:
                raise StorageUnavailable(problem.errno, problem.strerror) from problem
            raise

    def find(self, name: str) -> Stored | None:
        opened = self._open_inside(name)
        if opened is None:
            return None
        descriptor, _ = opened
        try:
            found = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        modified = datetime.fromtimestamp(int(found.st_mtime), UTC)
        return Stored(name, found.st_size, modified, f'"{found.st_mtime_ns:x}-{found.st_size:x}"')

    def section(self, stored: Stored, start: int, length: int) -> Section:
        opened = self._open_inside(stored.name)
        if opened is None:
            raise FileNotFoundError(stored.name)
        return LocalSection(*opened, start, length)

    def direct_address(self, name: str) -> str:
        return ""

    def is_known_missing(self, name: str) -> bool:
        return not self.exists(name)

    def _open_inside(self, name: str) -> tuple[int, str] | None:
        """Open a name if it is below the root, and return the descriptor and the path: no link may lead outside."""
        root = os.path.realpath(self.location)
        try:
            path = os.path.realpath(Path(root, name))
            if not path.startswith(root + os.sep):
                return None
            # O_NONBLOCK: a pipe would make the process wait for a writer.
            return os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC), path
        except ValueError:
            # A NUL, or a character that no file system allows.
            return None
        except OSError as problem:
            if problem.errno in _NOT_FOUND:
                return None
            raise StorageUnavailable(problem.errno, problem.strerror) from problem
