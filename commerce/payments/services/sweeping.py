"""Takes up what crashes, lost messages and outages have left: attempts, messages and refunds."""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from cms_api.core.batches import RowsFailed, would_fail_all
from cms_api.core.leases import CLOCK_TOLERANCE

from .. import selectors
from ..models import IS_CHARGE, Payment, ProviderEvent, Refund
from ..types import ATTEMPT_ENDS_AFTER, LIVE, PaymentStatus, ProviderDisagrees, ProviderError, RefundStatus
from .events import handle
from .refunds import try_refund
from .settling import settle
from .starting import resume

logger = logging.getLogger(__name__)

#: How long one sweep may take, in seconds: other jobs wait for it.
SWEEP_SECONDS = 20
#: A request is given this long before its work is taken up.
GRACE = timedelta(minutes=2)
#: How often the provider is asked about an attempt, and about a refund that it has accepted.
ATTEMPTS_EVERY = timedelta(minutes=5)
REFUNDS_EVERY = timedelta(hours=1)
#: How often it is asked about an attempt that ended without it.
UNCONFIRMED_EVERY = timedelta(hours=6)
#: A message that still cannot be handled after this long is left alone; its attempt is checked anyway.
MESSAGE_GIVEN_UP_AFTER = timedelta(days=7)
#: After so many failures in a row, a provider is left alone until the next sweep.
MAX_FAILURES = 3
_BATCH_ROWS = 100


class _Round:
    """One sweep: it ends in time, and leaves a provider alone that does not answer."""

    def __init__(self) -> None:
        self.ends = time.monotonic() + SWEEP_SECONDS
        self.failures: dict[str, int] = {}
        #: Why rows raised that nothing but a mistake keeps from being taken up.
        self.reasons: list[str] = []

    @property
    def is_over(self) -> bool:
        return time.monotonic() > self.ends

    @property
    def silent(self) -> list[str]:
        """Return the providers that do not answer."""
        return [provider for provider, times in self.failures.items() if times >= MAX_FAILURES]

    def run(self, provider: str, work: Callable[[Any], Any], row: Any) -> None:
        try:
            work(row)
            self.failures[provider] = 0
        except ProviderError as problem:
            is_there = isinstance(problem, ProviderDisagrees)
            self.failures[provider] = 0 if is_there else self.failures.get(provider, 0) + 1
            logger.warning("%r is taken up later: %s", row, problem)
        except Exception as problem:
            if would_fail_all(problem):
                raise
            logger.exception("%r could not be taken up.", row)
            self.reasons.append(f"{row._meta.label} {row.pk}: {problem!r}")

    def each(self, rows: QuerySet[Any], work: Callable[[Any], Any], *, provider: str = "provider") -> None:
        """Do the work of the rows that are there now, those first that have waited longest, a few at a time.

        A row that has a moment of its last check is marked first, so that the next sweep begins with others if this one is cut
        short. `provider` is the path of its provider's name.
        """
        is_marked = hasattr(rows.model, "checked_at")
        order = [F("checked_at").asc(nulls_first=True), "pk"] if is_marked else ["pk"]
        found: list[Any] = [None] * _BATCH_ROWS
        last = 0
        while len(found) == _BATCH_ROWS and not self.is_over:
            left = rows.exclude(**{f"{provider}__in": self.silent}).filter(**{} if is_marked else {"pk__gt": last})
            found = list(left.annotate(asked=F(provider)).order_by(*order)[:_BATCH_ROWS])
            for row in found:
                last = row.pk
                if not self.is_over and row.asked not in self.silent and (not is_marked or _mark(row)):
                    self.run(row.asked, work, row)


def _mark(row: Any) -> int:
    """Mark a row as being checked; 0 if somebody else has checked it meanwhile."""
    same = type(row)._default_manager.filter(pk=row.pk, checked_at=row.checked_at)
    return int(same.update(checked_at=timezone.now()))


def sweep_payments() -> None:
    """Send refunds, handle messages and check attempts that nobody else has taken care of. Runs as a periodic job."""
    sweep = _Round()
    # Before a provider is found not to answer, because these end all the same.
    sweep.each(_select_lapsed(), _check)
    sweep.each(_refunds(), lambda refund: try_refund(refund.pk), provider="payment__provider")
    sweep.each(_events(), handle)
    sweep.each(_attempts(), _check)
    if sweep.reasons:
        raise RowsFailed(f"{len(sweep.reasons)} could not be taken up. The first: {sweep.reasons[0]}")


def _check(payment: Payment) -> None:
    if payment.status == PaymentStatus.STARTED:
        resume(payment)
    else:
        settle(payment_id=payment.pk)


def _refunds() -> QuerySet[Refund]:
    now = timezone.now()
    unasked = Q(checked_at=None, created_at__lt=now - GRACE)
    unsent = Q(reference=None, checked_at__lt=now - GRACE)
    # One that was asked about later than now was so while the clock was ahead.
    long_ago = Q(checked_at__lt=now - REFUNDS_EVERY) | Q(checked_at__gt=now + CLOCK_TOLERANCE)
    return Refund.objects.filter(unasked | unsent | long_ago, status=RefundStatus.PENDING)


def _events() -> QuerySet[ProviderEvent]:
    now = timezone.now()
    recent = Q(created_at__range=(now - MESSAGE_GIVEN_UP_AFTER, now - GRACE), charge="")
    known = Payment.objects.filter(provider=OuterRef("provider"), charge=OuterRef("charge"))
    return ProviderEvent.objects.filter(recent | ~Q(charge="") & Exists(known), handled_at=None)


def _select_lapsed() -> QuerySet[Payment]:
    now = timezone.now()
    never_ends = Q(expires_at=None) | Q(status=PaymentStatus.PROCESSING) | IS_CHARGE
    return Payment.objects.filter(
        (Q(expires_at__lte=now) & ~never_ends) | (never_ends & Q(updated_at__lt=now - ATTEMPT_ENDS_AFTER)), status__in=LIVE
    )


def _attempts() -> QuerySet[Payment]:
    every = {"started": GRACE, "every": ATTEMPTS_EVERY, "unconfirmed_every": UNCONFIRMED_EVERY}
    return Payment.objects.filter(selectors.attempts_to_check(timezone.now(), **every))
