"""Lists in files, which are read again when they change: networks of data centres, and hosts that send referrer spam."""

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from django.conf import settings

from ..types.exclusions import Networks, Span, as_host, host_mistake, read_span

logger = logging.getLogger(__name__)

T = TypeVar("T")

#: Lines that can't be read and are named in the log.
NAMED_LINES = 3


class ListedFile(Generic[T]):
    """The content of a file that a setting names; `nothing` if it names none, or the file has never been readable.

    A file that disappears or can't be read is logged, and what it said before stays valid.
    """

    def __init__(self, setting: str, read: Callable[[str, Iterable[str]], T], nothing: T) -> None:
        self._setting, self._read, self._nothing = setting, read, nothing
        self._lock = threading.Lock()
        #: The path with the file's number, size and time of change, as it was read.
        self._version: object = None
        self._content = nothing

    def get(self) -> T:
        path: str = getattr(settings, self._setting)
        if not path:
            return self._nothing
        version = (path, *_version_of(Path(path)))
        # While one request reads a changed file, others use what it said before.
        if version != self._version and self._lock.acquire(blocking=self._version is None):
            try:
                if version != self._version:
                    self._load(path)
                    self._version = version
            finally:
                self._lock.release()
        return self._content

    def _load(self, path: str) -> None:
        try:
            with Path(path).open(encoding="utf-8") as file:
                self._content = self._read(path, file)
        except (OSError, UnicodeDecodeError) as problem:
            logger.error("%s can't be read: %s", self._setting, problem)


def _version_of(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _rows(path: str, lines: Iterable[str], read: Callable[[str], T]) -> Iterator[T]:
    """Yield what the lines say, without comments; those that can't be read are left out and logged."""
    wrong: list[int] = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0].strip()
        try:
            if text:
                yield read(text)
        except ValueError:
            wrong.append(number)
    if wrong:
        first = ", ".join(map(str, wrong[:NAMED_LINES]))
        logger.warning("%s: %d lines can't be read and were left out (%s).", path, len(wrong), first)


def _network(text: str) -> Span:
    """Return the network of a line, which may go on with other columns: `network,...` or `first,last,...`."""
    first, _, rest = text.partition(",")
    if "/" not in first and "-" not in first and rest:
        return read_span(f"{first}-{rest.partition(',')[0]}")
    return read_span(first)


def _host(text: str) -> str:
    if mistake := host_mistake(text):
        raise ValueError(mistake)
    return as_host(text)


def read_networks(path: str, lines: Iterable[str]) -> Networks:
    return Networks(_rows(path, lines, _network))


def read_hosts(path: str, lines: Iterable[str]) -> frozenset[str]:
    return frozenset(_rows(path, lines, _host))


data_centers = ListedFile("ANALYTICS_DATACENTER_FILE", read_networks, Networks())
spam_hosts: ListedFile[frozenset[str]] = ListedFile("ANALYTICS_SPAM_FILE", read_hosts, frozenset())
