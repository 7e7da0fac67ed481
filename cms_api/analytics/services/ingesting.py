"""Stores the events of the files to which pages are written, and the conversions that wait.

A file is stored whole or not at all, and its name is kept until it is deleted: a process that dies in between loses nothing, and
stores nothing twice.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from cms_api.core import outages
from cms_api.core.leases import Stop, never
from cms_api.core.queues import Round, Task, Work

from ..models import PendingEvent, StoredFile
from ..types.events import Event, Unsound, from_line
from .spool import arriving, begun_at, keep_failed, put_aside, take_files
from .storing import BATCH, store
from .storing_lock import wait_for_others

logger = logging.getLogger(__name__)

#: Seconds that a conversion waits, so that the view before it has been stored, also by another host's worker.
CONVERSION_WAIT_SECONDS = 5.0
#: Events that are searched for among those of a file; if more cannot be stored, whole parts of it are put aside.
MAX_REFUSED = 20
#: PostgreSQL's states of a table or column that a migration is yet to make, and the beginning of those of too large a row.
_UNMIGRATED, _TOO_LARGE = {"42P01", "42703"}, "54"
#: Seconds of rest for each second of storing: for the worker's other threads, pages, and other writers. While a storm lasts, the
#: worker rests longer, so that pages are not slowed, but not after files that were begun so many seconds ago.
REST_PER_SECOND, STORM_REST_PER_SECOND, MAX_DELAY_SECONDS = 0.5, 10.0, 180.0
#: Bytes of events that arrive in a second of a storm, from some 500 views on; seconds until it is looked for again.
STORM_BYTES_PER_SECOND, STORM_CHECK_SECONDS = 100_000, 0.5


def ingest(*, at_once: bool = False, stop: Stop = never) -> int:
    """Store the events that wait; return how many there were. With `at_once`, also those that have just arrived."""
    stored, begun = 0, time.time()
    for path in take_files(at_once=at_once):
        if stop():
            return stored
        started = time.monotonic()
        stored += _store_file(path)
        taken = time.monotonic() - started
        path.unlink(missing_ok=True)
        StoredFile.objects.filter(name=path.name).delete()
        if not at_once:
            _rest(path, taken, stop)
    return stored + _store_pending(begun if at_once else begun - CONVERSION_WAIT_SECONDS)


def _rest(path: Path, taken: float, stop: Stop) -> None:
    """Rest after a file that took so many seconds, and no longer than the storm lasts."""
    rested = 0.0
    while (left := _rest_after(path) * taken - rested) > 0 and not stop():
        time.sleep(min(left, STORM_CHECK_SECONDS))
        rested += STORM_CHECK_SECONDS


def _rest_after(path: Path) -> float:
    """Return the seconds of rest for each second that a file took."""
    is_new = time.time() - begun_at(path) < MAX_DELAY_SECONDS
    return STORM_REST_PER_SECOND if is_new and arriving() > STORM_BYTES_PER_SECOND else REST_PER_SECOND


def _store_file(path: Path) -> int:
    try:
        found, unsound = _read(path.read_bytes().splitlines())
        with transaction.atomic():
            wait_for_others()
            if StoredFile.objects.filter(name=path.name).exists():
                return 0
            StoredFile.objects.create(name=path.name, stored_at=timezone.now())
            refused = _store_sound(found)
            if unsound or refused:
                logger.error("%d lines of %s can't be stored, and are put aside.", len(unsound) + len(refused), path)
                keep_failed([*unsound, *(event.as_line() for event in refused)], path)
    except FileNotFoundError:
        # Another worker has stored it.
        return 0
    except Exception as problem:
        if _passes(problem):
            raise
        # A file that cannot be stored must not stop those after it.
        logger.exception("%s can't be stored, and is put aside.", path)
        put_aside(path)
        return 0
    return len(found) - len(refused)


def _store_pending(until: float) -> int:
    """Store the conversions that have waited for the views before them."""
    stored = 0
    while True:
        with transaction.atomic():
            wait_for_others()
            pending = list(PendingEvent.objects.filter(at__lte=until).order_by("pk")[:BATCH])
            if not pending:
                return stored
            lines = [bytes(row.line) for row in pending]
            unsound = [line for line in lines if not _read([line])[0]]
            refused = _store_sound(_read(lines)[0])
            if unsound or refused:
                logger.error("%d conversions can't be stored, and are put aside.", len(unsound) + len(refused))
                keep_failed([*unsound, *(event.as_line() for event in refused)])
            PendingEvent.objects.filter(pk__in=[row.pk for row in pending]).delete()
        stored += len(pending)


def _store_sound(events: Sequence[Event]) -> list[Event]:
    """Store events but those that cannot be stored, which must not cost the others, and are returned. Raises what passes."""
    refused: list[Event] = []
    parts = [events]
    while parts:
        part = parts.pop()
        try:
            with transaction.atomic():
                store(part)
        except Exception as problem:
            if _passes(problem):
                raise
            if len(part) > 1 and len(refused) < MAX_REFUSED:
                middle = len(part) // 2
                parts += [part[middle:], part[:middle]]
            else:
                logger.error("%d events can't be stored.", len(part), exc_info=problem)
                refused += part
    return refused


def _passes(problem: Exception) -> bool:
    """Return whether an error is an outage, or of a database that is not ready, and not of what is stored."""
    state = getattr(problem.__cause__, "sqlstate", None) or ""
    is_away = isinstance(problem, InterfaceError | OperationalError) and not state.startswith(_TOO_LARGE)
    return is_away or state in _UNMIGRATED or isinstance(problem, MemoryError) or outages.find(problem) is not None


def _read(lines: Iterable[bytes]) -> tuple[list[Event], list[bytes]]:
    """Return the events of some lines, and the lines that cannot be events; one that was written in part is left out."""
    found, refused = [], []
    for line in lines:
        try:
            found.append(from_line(line))
        except Unsound:
            refused.append(line + b"\n")
        except (ValueError, TypeError):
            continue
    return found, refused


class Storing(Work):
    """The work of the queue: stores what waits, and looks again after a moment."""

    pause = 1.0

    def take(self, stop: Stop) -> Task | None:
        waits = (
            next(take_files(), None) is not None
            or PendingEvent.objects.filter(at__lte=time.time() - CONVERSION_WAIT_SECONDS).exists()
        )
        return (lambda: Round(ingest(stop=stop))) if waits else None


STORING = Storing()
