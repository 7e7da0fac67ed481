"""Imports files in batches, one worker at a time. Each batch and its row count are committed in one transaction."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.db.models import F

from cms_api.core import leases, registry
from cms_api.core.errors import Invalid
from cms_api.core.leases import ours
from cms_api.core.module import Import, Outcome

from ..models import ImportRun, RefusedRow
from ..selectors import kinds_on
from ..types import (
    BATCH,
    FIRST_BATCH,
    GROWTH,
    LEASE,
    MAX_ATTEMPTS,
    MAX_SENTENCE,
    TASK_DURATION,
    UNDER_WAY,
    WRITE_NANOSECONDS,
    State,
)
from .reading import Row, cells_of, join_sentences, rows_of
from .runs import forget_file, get_ended_values, read_file, requeue

Progress = Callable[[int], None]


class Lost(Exception):
    """The lease of the run was lost: it was cancelled, or another worker has claimed it."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows read before anything is written: the valid values, and the rows to refuse."""

    rows: list[tuple[Row, Any]]
    refused: list[tuple[Row, str]]

    @property
    def size(self) -> int:
        return len(self.rows) + len(self.refused)


def work(pk: int, progress: Progress = lambda count: None, *, in_background: bool = True) -> bool:
    """Work on an import for a while, unless another worker does; return whether there is more to do.

    In the background, a task is queued for the rest. `progress` is called with the number of rows of each batch after its
    commit.
    """
    run = claim(pk)
    if run is None:
        return False
    try:
        if _import_batches(run, progress):
            return False
    except Lost:
        return False
    except Invalid as refusal:
        # The file was readable when it was uploaded, so it is gone or has changed.
        ours(run).update(**get_ended_values(State.FAILED), error=_short(refusal.message))
        return False
    return requeue(ours(run), run.pk, in_background=in_background, attempts=0)


def claim(pk: int) -> ImportRun | None:
    """Lease a run and return it, or None if it cannot be claimed. The attempt is counted before any work."""
    runs = ImportRun.objects.filter(pk=pk, state__in=UNDER_WAY, attempts__lt=MAX_ATTEMPTS, kind__in=kinds_on())
    return leases.claim(runs, LEASE, state=State.RUNNING, attempts=F("attempts") + 1)


def _import_batches(run: ImportRun, progress: Progress) -> bool:
    """Import batches for a while; return whether the import is finished."""
    end = time.monotonic() + TASK_DURATION.total_seconds()
    begin = time.monotonic()
    rows = rows_of(read_file(run), encoding=run.encoding, delimiter=run.delimiter, skipped=run.done)
    size = min(FIRST_BATCH, BATCH)
    while kind := kinds_on().get(run.kind):
        batch = _read(kind, run, islice(rows, size))
        if not batch.size:
            return _finish(run)
        started = time.monotonic_ns()
        _write(kind, run, batch, begin)
        size = _next_size(size, time.monotonic_ns() - started)
        progress(batch.size)
        begin = time.monotonic()
        if begin >= end:
            break
    return False


def _next_size(size: int, nanoseconds: int) -> int:
    """Return how many rows the next transaction has, after one of so many took so long: others wait for it to write."""
    return max(1, min(size * WRITE_NANOSECONDS // max(nanoseconds, 1), size * GROWTH, BATCH))


def _read(kind: Import, run: ImportRun, rows: Iterator[Row]) -> Batch:
    """Read a batch outside of any transaction, so that no other writer waits."""
    read = registry.load(kind.read)
    batch = Batch([], [])
    for row in rows:
        try:
            batch.rows.append((row, read(cells_of(row, run.mapping, len(run.header)), run.options)))
        except Invalid as refusal:
            batch.refused.append((row, join_sentences(refusal)))
    return batch


@transaction.atomic
def _write(kind: Import, run: ImportRun, batch: Batch, begin: float) -> None:
    """Write records, refused rows and counts in one transaction: a crash neither loses nor repeats a row."""
    if ours(run).select_for_update(no_key=True).first() is None:
        raise Lost
    outcomes, refused = _write_batch(kind, run, batch.rows)
    refused = sorted([*batch.refused, *refused], key=lambda each: each[0].line)
    RefusedRow.objects.bulk_create(
        [
            RefusedRow(run=run, line=row.line, cells=[cell.replace("\0", "") for cell in row.cells], problem=_short(problem))
            for row, problem in refused
        ]
    )
    counts = {"done": batch.size, "refused": len(refused), **{each.value: outcomes.count(each) for each in Outcome}}
    leases.renew(
        run,
        LEASE,
        **{name: F(name) + count for name, count in counts.items()},
        seconds=F("seconds") + (time.monotonic() - begin),
        attempts=1,
    )


def _write_batch(kind: Import, run: ImportRun, rows: list[tuple[Row, Any]]) -> tuple[list[Outcome], list[tuple[Row, str]]]:
    """Return the outcome of each written row, and the refused rows.

    A batch that the service or the database refuses is written row by row, so that only the faulty rows are left out.
    """
    write = registry.load(kind.write)
    try:
        with transaction.atomic():
            return (list(write([values for _, values in rows], run.options)) if rows else []), []
    except (Invalid, DataError, IntegrityError):
        pass
    outcomes: list[Outcome] = []
    refused = []
    for row, values in rows:
        try:
            with transaction.atomic():
                outcomes += write([values], run.options)
        except Invalid as refusal:
            refused.append((row, join_sentences(refusal)))
        except (DataError, IntegrityError):
            refused.append((row, "The row contains a value that can't be stored."))
    return outcomes, refused


def _finish(run: ImportRun) -> bool:
    with transaction.atomic():
        if not ours(run).update(**get_ended_values(State.FINISHED)):
            raise Lost
        forget_file(run)
    return True


def _short(sentence: str) -> str:
    return sentence.replace("\0", "") if len(sentence) <= MAX_SENTENCE else sentence[: MAX_SENTENCE - 1] + "…"
