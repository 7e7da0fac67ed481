"""Leases and retries: rows that many workers share, and of which each is one worker's at a time.

A worker claims a row by one conditional update, so of all that try one succeeds, and no lock outlives the statement. The lease
of a worker that died ends, and another worker claims the row. A worker that returns after its lease has ended changes nothing,
since every later update names the lease that it was given (`ours`).

`Leased` rows are worked on as often as needed, `Retried` rows until they have succeeded or failed for good; `queues` does the
latter with a function for one row.
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar, TypeVar

from django.db import models
from django.db.models import F, Q, QuerySet
from django.utils import timezone

Stop = Callable[[], bool]

#: Rows that are looked up at once.
BATCH = 50
MAX_ERROR = 500
#: The error of a row whose workers died too often.
LOST = "Too many attempts were interrupted."


class Leased(models.Model):
    """A row that one worker at a time has."""

    #: A random token for each lease; empty when nobody has the row.
    leased_by = models.CharField(max_length=40, blank=True, default="", db_default="", editable=False)
    leased_until = models.DateTimeField(null=True, editable=False)

    #: The column with the end of the lease.
    LEASE_END: ClassVar = "leased_until"

    class Meta:
        abstract = True

    @classmethod
    def free(cls, now: datetime) -> Q:
        """The condition under which a row may be claimed."""
        return Q(leased_until=None) | Q(leased_until__lte=now)

    @classmethod
    def claimed(cls, until: datetime) -> dict[str, Any]:
        """The columns that a claim sets."""
        return {"leased_by": secrets.token_hex(16), "leased_until": until}

    def fence(self) -> dict[str, Any]:
        """The condition under which the row still has the lease that this instance was read with."""
        return {"leased_by": self.leased_by}


class Retried(models.Model):
    """A row that is attempted when it is due, until it has succeeded or failed for good."""

    #: Attempts that were begun: raised by the claim, so that one which kills its worker counts.
    attempts = models.PositiveIntegerField(default=0)
    #: Attempts whose failure is known: the position in the schedule of retries.
    failures = models.PositiveIntegerField(default=0)
    #: The latest attempts whose end nobody knows.
    lost = models.PositiveIntegerField(default=0)
    #: Also the end of a worker's lease; null once the row is finished.
    next_attempt_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=MAX_ERROR, blank=True, default="")
    finished_at = models.DateTimeField(null=True)

    LEASE_END: ClassVar = "next_attempt_at"
    #: Columns of a row that is pending, has succeeded, or has failed for good; empty for a model without a state.
    PENDING: ClassVar[dict[str, Any]] = {}
    SUCCEEDED: ClassVar[dict[str, Any]] = {}
    FAILED: ClassVar[dict[str, Any]] = {}

    class Meta:
        abstract = True

    @classmethod
    def free(cls, now: datetime) -> Q:
        return Q(**cls.PENDING, next_attempt_at__lte=now)

    @classmethod
    def claimed(cls, until: datetime) -> dict[str, Any]:
        return {"attempts": F("attempts") + 1, "lost": F("lost") + 1, "next_attempt_at": until}

    def fence(self) -> dict[str, Any]:
        return {**self.PENDING, "attempts": self.attempts, "next_attempt_at": self.next_attempt_at}

    @classmethod
    def requeued(cls, failures: int = 0) -> dict[str, Any]:
        """The columns that make a finished row due again, with the retries that are left after so many failures."""
        now = timezone.now()
        return {**cls.PENDING, "failures": failures, "lost": 0, "next_attempt_at": now, "finished_at": None}


C = TypeVar("C", bound=Leased | Retried)


def never() -> bool:
    return False


def take(rows: QuerySet[Any], pk: Any, claimed: dict[str, Any]) -> bool:
    """Claims one of the rows by the columns that `claimed` gave, if it is free; whether it was."""
    return rows.filter(rows.model.free(timezone.now()), pk=pk).update(**claimed) == 1


def claims(rows: QuerySet[C], lease: timedelta, *, stop: Stop = never, **changes: Any) -> Iterator[C]:
    """The rows that are free, in their order, each read after it was claimed. Ends when none is left, or at `stop`."""
    model: Any = rows.model
    while keys := list(rows.filter(model.free(timezone.now())).values_list("pk", flat=True)[:BATCH]):
        for key in keys:
            if stop():
                return
            if take(rows, key, {**model.claimed(timezone.now() + lease), **changes}):
                # None where it was deleted meanwhile.
                yield from model._default_manager.filter(pk=key).order_by()


def begin(row: Retried, until: datetime) -> bool:
    """Claims a row in hand, unless it has changed hands since it was read."""
    attempts, lost = row.attempts + 1, row.lost + 1
    if ours(row).update(attempts=attempts, lost=lost, next_attempt_at=until) == 0:
        return False
    row.attempts, row.lost, row.next_attempt_at = attempts, lost, until
    return True


def claim(rows: QuerySet[C], lease: timedelta, **changes: Any) -> C | None:
    """The first of the rows that is free, claimed for the length of a lease; None where there is none."""
    return next(claims(rows, lease, **changes), None)


def ours(row: C) -> QuerySet[C]:
    """The row, as long as it has the lease that this instance was read with."""
    model: Any = type(row)
    rows: QuerySet[C] = model._default_manager.filter(pk=row.pk, **row.fence())
    return rows


def renew(row: Leased | Retried, lease: timedelta, **changes: Any) -> bool:
    """Extends the lease of a row from now on; False where it was lost."""
    until = timezone.now() + lease
    renewed = ours(row).update(**{row.LEASE_END: until}, **changes) == 1
    if renewed:
        setattr(row, row.LEASE_END, until)
    return renewed


def release(row: Leased, **changes: Any) -> bool:
    """Ends a lease; False where it was lost."""
    return ours(row).update(**{"leased_by": "", "leased_until": None, **changes}) == 1


def succeed(row: Retried, *, fenced: bool = True, **changes: Any) -> bool:
    """Finishes a row; False where the lease was lost.

    Without `fenced` a success counts however late it comes, unless the row is finished: for what cannot be undone.
    """
    unfinished = row.PENDING or {"next_attempt_at__isnull": False}
    rows = ours(row) if fenced else type(row)._default_manager.filter(pk=row.pk, **unfinished)
    ended = {"lost": 0, "error": "", "next_attempt_at": None, "finished_at": timezone.now()}
    return rows.update(**{**ended, **row.SUCCEEDED, **changes}) == 1


def fail(
    row: Retried,
    error: str,
    delays: Sequence[timedelta],
    *,
    final: bool = False,
    at_least: timedelta = timedelta(0),
    **changes: Any,
) -> bool:
    """Makes a row due again after the delay for its number of failures, but not before `at_least`; without effect where the
    lease was lost.

    True where it has failed for good: after the last of the delays, or at once where the failure is `final`.
    """
    now, failures = timezone.now(), row.failures + 1
    seen = {"failures": failures, "lost": 0, "error": error.replace("\0", "")[:MAX_ERROR], **changes}
    if final or failures > len(delays):
        return ours(row).update(**{**seen, "next_attempt_at": None, "finished_at": now, **row.FAILED}) == 1
    ours(row).update(**seen, next_attempt_at=now + max(delays[failures - 1], at_least))
    return False
