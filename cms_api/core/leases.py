"""Leases and retries for rows shared by many workers, each row leased to one worker at a time.

A worker claims a row with one conditional update: if several try, exactly one succeeds, and no lock outlives the statement.
If a worker dies, its lease expires and another worker claims the row. A worker that comes back after its lease has expired
changes nothing, because every later update is conditional on its own lease token (`ours`).

`Leased` rows are processed as often as needed, `Retried` rows until they have succeeded or failed permanently; `queues`
processes the latter with a function for one row.
"""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, ClassVar, TypeVar

from django.apps import apps
from django.db import Error, connection, models
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from .writing import change

logger = logging.getLogger(__name__)

Stop = Callable[[], bool]

#: How far the clocks of hosts may differ. A time that is later than ours allow by more was set while a clock was ahead.
CLOCK_TOLERANCE = timedelta(minutes=1)
#: Rows looked up per query.
BATCH = 50
MAX_ERROR = 500
#: Error of a row whose workers died too often.
LOST = "Too many attempts were interrupted."


class Leased(models.Model):
    """A row that one worker at a time can lease."""

    #: A random token per lease; empty while the row is not leased.
    leased_by = models.CharField(max_length=40, blank=True, default="", db_default="", editable=False)
    leased_until = models.DateTimeField(null=True, editable=False)

    #: The column that stores when the lease expires, and the values of a row that is not leased.
    LEASE_END: ClassVar = "leased_until"
    RELEASED: ClassVar[dict[str, Any]] = {"leased_by": "", "leased_until": None}

    class Meta:
        abstract = True

    @classmethod
    def free(cls, now: datetime) -> Q:
        """Return the condition under which a row can be claimed."""
        return Q(leased_until=None) | Q(leased_until__lte=now)

    @classmethod
    def values_to_claim(cls, until: datetime) -> dict[str, Any]:
        """Return the column values that a claim sets."""
        return {"leased_by": secrets.token_hex(16), "leased_until": until}

    def fence(self) -> dict[str, Any]:
        """Return the condition under which the row still has the lease that this instance was read with."""
        return {"leased_by": self.leased_by}

    def claimable(self) -> dict[str, Any]:
        """Return the condition under which the lease that this instance was read with has been neither renewed nor claimed."""
        return self.fence() | ({"leased_until": self.leased_until} if self.leased_by else {})


class Retried(models.Model):
    """A row that is attempted when it is due, until it has succeeded or failed permanently."""

    #: Attempts started: incremented by the claim, so that an attempt that kills its worker counts.
    attempts = models.PositiveIntegerField(default=0)
    #: Attempts known to have failed: the position in the retry schedule.
    failures = models.PositiveIntegerField(default=0)
    #: Consecutive latest attempts with an unknown outcome.
    lost = models.PositiveIntegerField(default=0)
    #: Also the expiry of a worker's lease; null once the row is finished.
    next_attempt_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=MAX_ERROR, blank=True, default="")
    finished_at = models.DateTimeField(null=True)

    LEASE_END: ClassVar = "next_attempt_at"
    #: Values of the state column for pending, succeeded and permanently failed rows; empty for a model without a state.
    PENDING: ClassVar[dict[str, Any]] = {}
    SUCCEEDED: ClassVar[dict[str, Any]] = {}
    FAILED: ClassVar[dict[str, Any]] = {}
    #: Whether an attempt reaches somebody. The lost site may have made it since its backup: `restore` fails the pending rows.
    REACHES_PEOPLE: ClassVar[bool] = True

    class Meta:
        abstract = True

    @classmethod
    def free(cls, now: datetime) -> Q:
        return Q(**cls.PENDING, next_attempt_at__lte=now)

    @classmethod
    def values_to_claim(cls, until: datetime) -> dict[str, Any]:
        return {"attempts": F("attempts") + 1, "lost": F("lost") + 1, "next_attempt_at": until}

    def fence(self) -> dict[str, Any]:
        return {**self.PENDING, "attempts": self.attempts, "next_attempt_at": self.next_attempt_at}

    def values_to_begin(self, until: datetime) -> dict[str, Any]:
        """Return the column values that a claim of this instance sets, if it has not been changed since it was read."""
        return {"attempts": self.attempts + 1, "lost": self.lost + 1, "next_attempt_at": until}

    def values_of_success(self) -> dict[str, Any]:
        """Return the column values of a row that has succeeded."""
        return {"lost": 0, "error": "", "next_attempt_at": None, "finished_at": timezone.now(), **self.SUCCEEDED}

    @classmethod
    def values_to_requeue(cls, failures: int = 0) -> dict[str, Any]:
        """Return the column values that make a finished row due again, with the retries left after `failures` failures."""
        now = timezone.now()
        return {**cls.PENDING, "failures": failures, "lost": 0, "next_attempt_at": now, "finished_at": None}


C = TypeVar("C", bound=Leased | Retried)


def never() -> bool:
    return False


def take(rows: QuerySet[Any], pk: Any, claimed: dict[str, Any]) -> bool:
    """Claim one of the rows with the column values from `claimed` if it is free; return whether it was."""
    return rows.filter(rows.model.free(timezone.now()), pk=pk).update(**claimed) == 1


def claims(rows: QuerySet[C], lease: timedelta, *, stop: Stop = never, **changes: Any) -> Iterator[C]:
    """Yield the free rows in their order, each read after it was claimed, until none is left or `stop` returns true."""
    model: Any = rows.model
    while keys := list(rows.filter(model.free(timezone.now())).values_list("pk", flat=True)[:BATCH]):
        for key in keys:
            if stop():
                return
            if take(rows, key, {**model.values_to_claim(timezone.now() + lease), **changes}):
                # Yields nothing if the row has been deleted meanwhile.
                yield from model._default_manager.filter(pk=key).order_by()


def claim(rows: QuerySet[C], lease: timedelta, **changes: Any) -> C | None:
    """Claim the first free row for the length of a lease and return it; None if no row is free."""
    return next(claims(rows, lease, **changes), None)


def ours(row: C) -> QuerySet[C]:
    """Return the row as a queryset, empty once the lease that this instance was read with is lost."""
    model: Any = type(row)
    rows: QuerySet[C] = model._default_manager.filter(pk=row.pk, **row.fence())
    return rows


def renew(row: Leased | Retried, lease: timedelta, **changes: Any) -> bool:
    """Extend the lease of a row, counted from now; False if the lease was lost."""
    until = timezone.now() + lease
    renewed = ours(row).update(**{row.LEASE_END: until}, **changes) == 1
    if renewed:
        setattr(row, row.LEASE_END, until)
    return renewed


@contextmanager
def renewing(row: Leased | Retried, lease: timedelta) -> Iterator[None]:
    """Renew the lease of a row while the block runs, so that it can be short: the row is free soon after its worker has died."""
    is_over = threading.Event()

    def renew_again() -> None:
        try:
            while not is_over.wait(lease.total_seconds() / 3):
                if not renew(row, lease):
                    break
        except Error:
            logger.warning("A lease could not be renewed.", exc_info=True)
        finally:
            connection.close()

    thread = threading.Thread(target=renew_again, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def release(row: Leased, **changes: Any) -> bool:
    """End a lease; False if it was lost."""
    return ours(row).update(**{**row.RELEASED, **changes}) == 1


def succeed(row: Retried, *, fenced: bool = True, **changes: Any) -> bool:
    """Finish a row; False if the lease was lost.

    With `fenced=False` a success counts however late it comes, unless the row is already finished: for actions that cannot be
    undone.
    """
    ended = {**row.values_of_success(), **changes}
    if conditions := row.fence() if fenced else row.PENDING:
        return change(type(row), {"id": row.pk, **conditions}, ended) == 1
    return type(row)._default_manager.filter(pk=row.pk, next_attempt_at__isnull=False).update(**ended) == 1


def fail(
    row: Retried,
    error: str,
    delays: Sequence[timedelta],
    *,
    final: bool = False,
    at_least: timedelta = timedelta(0),
    **changes: Any,
) -> bool:
    """Make a row due again after the delay for its number of failures, but not before `at_least`, unless the lease was lost.

    Return True if the row has failed permanently: after the last delay, or immediately if the failure is `final`.
    """
    now, failures = timezone.now(), row.failures + 1
    seen = {"failures": failures, "lost": 0, "error": error.replace("\0", "")[:MAX_ERROR], **changes}
    if final or failures > len(delays):
        return ours(row).update(**{**seen, "next_attempt_at": None, "finished_at": now, **row.FAILED}) == 1
    ours(row).update(**seen, next_attempt_at=now + max(delays[failures - 1], at_least))
    return False


def postpone(row: Retried, wait: timedelta, error: str) -> None:
    """Make a row due again after an outage, which is no failure of the row. Nothing if the lease was lost."""
    ours(row).update(lost=0, error=error[:MAX_ERROR], next_attempt_at=timezone.now() + wait)


def free_parked(rows: QuerySet[Any], lease: timedelta, delays: Sequence[timedelta] = (), longest: timedelta | None = None) -> int:
    """Make rows due that wait for a time which a clock that was ahead has set; return how many there were.

    `delays` and `longest` are for `Retried` rows: the delay after each failure, and the longest that a failure may ask for.
    """
    now = timezone.now()
    end = rows.model.LEASE_END
    rows = rows.filter(**rows.model.PENDING) if issubclass(rows.model, Retried) else rows

    def later_than(wait: timedelta) -> Q:
        return Q(**{f"{end}__gt": now + wait + CLOCK_TOLERANCE})

    parked = later_than(lease)
    if issubclass(rows.model, Retried):
        parked = Q(lost__gt=0) & parked | Q(lost=0, failures=0) & later_than(timedelta(0))
        for failures, delay in enumerate(delays, start=1):
            parked |= Q(lost=0, failures=failures) & later_than(max(delay, longest or delay))
        parked |= Q(lost=0, failures__gt=len(delays)) & later_than(timedelta(0))
    # Others may begin to write meanwhile: mostly, there is nothing to do.
    found = rows.filter(later_than(timedelta(0)), parked)
    return found.update(**{end: now}) if found.exists() else 0


def retried_models() -> list[type[Retried]]:
    return [model for model in apps.get_models() if issubclass(model, Retried)]


def sending_models() -> list[type[Retried]]:
    """Return the models whose attempts reach people."""
    return [model for model in retried_models() if model.REACHES_PEOPLE]


def fail_pending(error: str) -> dict[str, int]:
    """Fail every pending row that would reach people permanently; return how many there were, by the model's plural name."""
    counts = {}
    ended = {"error": error[:MAX_ERROR], "lost": 0, "next_attempt_at": None, "finished_at": timezone.now()}
    for model in sending_models():
        pending = model._default_manager.filter(**model.PENDING, next_attempt_at__isnull=False)
        if count := pending.update(**{**ended, **model.FAILED}):
            counts[str(model._meta.verbose_name_plural)] = count
    return counts
