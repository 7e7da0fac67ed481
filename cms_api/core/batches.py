"""The rows that a periodic job works on: one that raises is logged, and keeps none of the others from their work.

A run with such rows raises `RowsFailed` at its end, so that the job is shown as failing. An outage that would fail all the others
too, as of the database, is raised at once; that of the storage of files may be about those of one row.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.db import InterfaceError
from django.db.models import QuerySet

from . import outages
from .locks import refuse_in_transaction

R = TypeVar("R")
#: Rows that are looked up at first; then as many as were seen, twice.
BATCH = 100

logger = logging.getLogger(__name__)


class RowsFailed(Exception):
    """Says how many of the rows of a run raised, and why the first one did."""


class Run:
    """A run through one or several kinds of rows, for at most some seconds: `with Run() as run: run.each(rows, work)`.

    It refuses to be in a transaction: each work has one of its own. In one around them, what one row has locked would be locked
    until the last is done, and what one has broken, without a savepoint, would be broken for all.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self._ends = time.monotonic() + seconds
        self._done, self._reasons = 0, list[str]()

    def __enter__(self) -> "Run":
        refuse_in_transaction("Going through rows")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._reasons and kind is None:
            count = len(self._reasons)
            raise RowsFailed(f"{count} of {count + self._done} failed. The first: {self._reasons[0]}")

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self._ends

    def each(self, rows: QuerySet[Any, R], work: Callable[[R], object], *, limit: float = math.inf) -> int:
        """Call `work` with each row, in the order of `rows`, else of their keys; return how often it returned something true.

        Ends after `limit` rows that did not raise, so that those which always do can't keep the others waiting.
        """
        return self.each_batch(rows, lambda batch: bool(work(batch[0])), size=1, limit=limit)

    def each_batch(self, rows: QuerySet[Any, R], work: Callable[[list[R]], int], *, size: int, limit: float = math.inf) -> int:
        """Call `work` with some rows at a time, one by one after it raised for them; return the sum of what it returns."""
        found, last = 0, self._done + limit
        for batch in _batches(rows, size):
            waiting = [batch]
            while waiting and not self.is_over and self._done < last:
                part = waiting.pop(0)
                try:
                    found += work(part)
                    self._done += len(part)
                except Exception as problem:
                    if would_fail_all(problem):
                        raise
                    if len(part) > 1:
                        waiting = [[row] for row in part]
                    else:
                        self._note(rows, part[0], problem)
            if waiting:
                break
        return found

    def _note(self, rows: QuerySet[Any, R], row: Any, problem: Exception) -> None:
        name = f"{rows.model._meta.label} {getattr(row, 'pk', row)}"
        logger.exception("The work on %s failed.", name)
        self._reasons.append(f"{name}: {problem!r}")


def each(rows: QuerySet[Any, R], work: Callable[[R], object], *, limit: float = math.inf, seconds: float = math.inf) -> int:
    """Do what `Run.each` does, for one kind of rows."""
    with Run(seconds) as run:
        return run.each(rows, work, limit=limit)


def would_fail_all(problem: Exception) -> bool:
    """Return whether an error is an outage that would fail all other rows, too."""
    outage = outages.find(problem)
    return isinstance(problem, InterfaceError) or (outage is not None and not issubclass(outage, outages.FilesUnavailable))


def _batches(rows: QuerySet[Any, R], size: int) -> Iterator[list[R]]:
    """Yield the rows once, looked up anew after each lot: those that are done have mostly left, those that failed are first."""
    ordered, seen = rows.all() if rows.ordered else rows.order_by("pk"), set[R]()
    while new := [row for row in ordered[: BATCH + 2 * len(seen)] if row not in seen]:
        seen.update(new)
        yield from (new[start : start + size] for start in range(0, len(new), size))
