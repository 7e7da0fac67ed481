"""Files in which web processes leave events, so that a page waits for no database; the worker of the host stores them.

A line is in the hands of the operating system before its request is answered: it survives the death of the process. Each process
appends to a file of its own. The worker takes files that were begun a moment ago; a lock on the file decides between the two.
"""

import fcntl
import logging
import os
import secrets
import stat
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from errno import ENOSPC
from pathlib import Path

from django.conf import settings

logger = logging.getLogger(__name__)

#: Seconds after which the worker takes a file.
FILE_SECONDS = 1.0
#: Seconds in which the bytes that arrive are counted.
COUNTED_SECONDS = 20.0
#: Bytes of one file, and of all: beyond that events are refused, so that a disk is not filled while no worker runs.
MAX_FILE_BYTES, MAX_SPOOL_BYTES = 1024 * 1024, 512 * 1024 * 1024
OPEN, TAKEN, FAILED = ".open", ".taken", ".failed"

#: Names of files that cannot be read, which are logged once.
_reported: set[Path] = set()


class Full(Exception):
    """The files have reached their capacity."""


def folder() -> Path:
    return Path(settings.VAR_DIR) / "analytics"


class Spool:
    """The file of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._file: int | None = None
        self._path = Path()
        self._process = self._size = 0

    def append(self, lines: bytes) -> None:
        """Append lines. Raises OSError and Full."""
        with self._lock:
            if self._process != os.getpid():
                # The parent's file is not this process's.
                self._file, self._process = None, os.getpid()
            while not (self._file is not None and self._write(self._file, lines)):
                self._begin()

    def _write(self, file: int, lines: bytes) -> bool:
        """Write to the file; return False if it is large, or the worker has taken it."""
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            if self._size > MAX_FILE_BYTES or not self._path.exists():
                return False
            try:
                if os.write(file, lines) < len(lines):
                    raise OSError(ENOSPC, "The disk is full.")
            except OSError:
                # A part of a line must not become the beginning of the next one.
                os.ftruncate(file, self._size)
                raise
            self._size += len(lines)
            return True
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)

    def _begin(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
        place = folder()
        place.mkdir(parents=True, exist_ok=True)
        if _size(place) > MAX_SPOOL_BYTES:
            raise Full
        self._path = place / f"{_new_name()}{OPEN}"
        self._file, self._size = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 0


SPOOL = Spool()


def _new_name() -> str:
    """Return a name without its ending. By name, files are in the order of their beginnings."""
    return f"{time.time_ns():020}-{secrets.token_hex(4)}"


def _size(place: Path) -> int:
    """Return the bytes of all files. The worker deletes some meanwhile."""
    size = 0
    for entry in os.scandir(place):
        with suppress(FileNotFoundError):
            size += entry.stat(follow_symlinks=False).st_size
    return size


def arriving() -> float:
    """Return how many bytes a second have arrived lately."""
    begun_after, size = time.time() - COUNTED_SECONDS, 0
    for path in folder().iterdir():
        if begun_at(path) > begun_after:
            with suppress(FileNotFoundError):
                size += path.lstat().st_size
    return size / COUNTED_SECONDS


def take_files(*, at_once: bool = False) -> Iterator[Path]:
    """Yield the files to which nobody writes any more, oldest first; with `at_once`, also those begun just now.

    One that was begun later than now was named by a clock that was wrong.
    """
    place = folder()
    if not place.is_dir():
        return
    now = time.time()
    for path in sorted(place.iterdir()):
        is_new = not at_once and abs(begun_at(path) - now) < FILE_SECONDS
        if path.suffix not in {OPEN, TAKEN} or (path.suffix == OPEN and is_new):
            continue
        try:
            taken = _take(path)
        except FileNotFoundError:
            # Another worker has taken or stored it.
            continue
        except OSError as problem:
            _report(path, problem)
            continue
        yield taken


def _report(path: Path, problem: OSError) -> None:
    """Log, once for each name, that a file is passed over."""
    if path not in _reported:
        _reported.add(path)
        logger.error("%s can't be read, and is passed over: %s", path, problem)


def put_aside(path: Path) -> None:
    """Keep a file that cannot be stored, where nobody takes it."""
    with suppress(FileNotFoundError):
        path.rename(path.with_suffix(FAILED))


def keep_failed(lines: Sequence[bytes], path: Path | None = None) -> None:
    """Keep lines that cannot be stored, where nobody takes them: those of a file under its name. Raises OSError."""
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    target = (path or place / _new_name()).with_suffix(FAILED)
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.writelines(lines)


def begun_at(path: Path) -> float:
    """Return when a file was begun, in seconds since 1970; 0 for a name that is none of ours."""
    begun = path.name.partition("-")[0]
    return int(begun) / 1e9 if begun.isdecimal() else 0.0


def _take(path: Path) -> Path:
    """Rename a file while nobody writes to it; its process begins another one. Raises OSError if it cannot be read."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError("It is no file.")
    with path.open("rb") as file:
        if path.suffix == TAKEN:
            return path
        fcntl.flock(file, fcntl.LOCK_EX)
        return path.rename(path.with_suffix(TAKEN))
