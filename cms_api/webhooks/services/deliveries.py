"""Sends due deliveries: each endpoint is leased by one worker at a time, so that a slow one delays no other."""

import time
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.leases import BATCH, LOST, Stop, begin, commit_without_disk, fail, never, release, succeed, take
from cms_api.core.queues import Round, Task, Work
from cms_api.core.wakeups import wake
from cms_api.core.writing import change, insert
from cms_api.flags.selectors import is_on
from cms_api.outbound.connection import PinnedConnection
from cms_api.outbound.keeping import KeptConnections

from ..models import Attempt, Delivery, Endpoint, OutboxEvent
from ..selectors import FEATURE, QUEUE, lease, retry_delays
from ..types import FAILURE_BUDGET, LOGGED_DELIVERIES, LONGEST_WAIT, DeliveryStatus
from .endpoints import disable_endpoint
from .notices import notify_admins
from .sending import Outcome, headers, message, post

#: Seconds that a worker stays with one endpoint while others wait.
PATIENCE = 5.0
#: Deliveries of an endpoint that are read at once.
AHEAD = 20
#: A delivery fails after more than this many attempts in a row with an unknown outcome, because their workers died.
MAX_LOST = 20
#: Deliveries that waited this long while webhooks were off are cancelled.
STALE = timedelta(hours=24)

#: This process's connections to endpoints, between their leases.
_connections = KeptConnections()


class _Sending(Work):
    """Serves several endpoints concurrently."""

    threads, pause, outage = 16, 0.25, 1.0

    def take(self, stop: Stop) -> Task | None:
        _connections.close_idle()
        leased = lease_endpoint()
        return None if leased is None else partial(leased.work, stop)

    def close(self) -> None:
        _connections.close_idle(seconds=0)


SENDING = _Sending()


def deliver_due(*, stop: Stop = never) -> int:
    """Send everything that is due now, in this thread; return the number of attempts."""
    return SENDING.run_due(stop=stop).attempts


def lease_endpoint() -> "EndpointLease | None":
    """Lease the least recently served endpoint that has due deliveries; None if there is none."""
    if not _is_dispatching():
        return None
    now, enabled = timezone.now(), Endpoint.objects.filter(enabled=True)
    due = Delivery.objects.filter(endpoint=OuterRef("pk"), status=DeliveryStatus.PENDING, next_attempt_at__lte=now)
    waiting = enabled.filter(Endpoint.free(now), Exists(due)).order_by(F("last_delivery_at").asc(nulls_first=True), "pk")
    for pk in waiting.values_list("pk", flat=True)[:BATCH]:
        # Not around the look-up: on SQLite, a transaction that writes nothing keeps others from writing, too.
        with transaction.atomic():
            commit_without_disk()
            if take(enabled, pk, Endpoint.claimed(timezone.now() + lease())):
                return EndpointLease(Endpoint.objects.get(pk=pk))
    return None


def _is_dispatching() -> bool:
    """Return whether webhooks are on right now, ignoring this thread's snapshot."""
    versions.forget()
    return is_on(FEATURE)


class EndpointLease:
    """A worker's lease of an endpoint: only this worker sends there, one delivery at a time."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        #: Deliveries read ahead, the one that has been due longest at the end.
        self._due: list[Delivery] = []

    def work(self, stop: Stop = never) -> Round:
        """Attempt due deliveries until none is left, an attempt fails, or other endpoints' turn comes."""
        ends = time.monotonic() + PATIENCE
        made = Round()
        try:
            with _connections.lend(self.endpoint.pk) as connection:
                delivery = None if stop() else self._begin_first()
                while delivery is not None:
                    made.attempts += 1
                    started_at, outcome = timezone.now(), attempt(delivery, connection)
                    # A receiver that fails is not called again at once.
                    made.goes_on = outcome.succeeded
                    may_follow = made.goes_on and not stop() and time.monotonic() < ends and _is_dispatching()
                    delivery = self._record_and_begin_next(delivery, outcome, started_at, may_follow)
            if made.attempts:
                _prune(self.endpoint.pk)
        finally:
            release(self.endpoint)
        return made

    @transaction.atomic
    def _begin_first(self) -> Delivery | None:
        commit_without_disk()
        return self._begin_next()

    @transaction.atomic
    def _record_and_begin_next(
        self, delivery: Delivery, outcome: Outcome, started_at: datetime, may_follow: bool
    ) -> Delivery | None:
        _record(delivery, outcome, started_at=started_at)
        return self._begin_next() if may_follow else None

    @transaction.atomic(savepoint=False)
    def _begin_next(self) -> Delivery | None:
        """Count an attempt of the delivery that has been due longest, before it is made, and extend the lease.

        None if nothing is due, if the lease was lost, or if the endpoint or the delivery has been changed meanwhile.
        """
        if not self._due:
            due = self.endpoint.deliveries.filter(status=DeliveryStatus.PENDING, next_attempt_at__lte=timezone.now())
            self._due = list(due.select_related("event").order_by("next_attempt_at", "id")[:AHEAD])[::-1]
        if not self._due:
            return None
        delivery, until = self._due.pop(), timezone.now() + lease()
        unchanged = {"id": self.endpoint.pk, "enabled": True, "updated_at": self.endpoint.updated_at, **self.endpoint.fence()}
        return delivery if change(Endpoint, unchanged, {"leased_until": until}) and begin(delivery, until) else None


def attempt(delivery: Delivery, connection: PinnedConnection) -> Outcome:
    """Make an attempt that has been counted, and return its outcome."""
    if delivery.lost > MAX_LOST:
        return Outcome(None, "", LOST)
    now, endpoint, body = timezone.now(), delivery.endpoint, message(delivery)
    sent = headers(endpoint=endpoint, kind=delivery.event.kind, delivery_id=delivery.pk, body=body, now=now)
    return post(endpoint.url, body, sent, now, connection)


def _record(delivery: Delivery, outcome: Outcome, *, started_at: datetime) -> None:
    """Record the outcome of an attempt. The endpoint's row is locked first, as when it is disabled or deleted."""
    code, delays = outcome.code, retry_delays()
    news = {"last_delivery_at": timezone.now(), "last_response_code": code} | ({"failure_count": 0} if outcome.succeeded else {})
    if not change(Endpoint, {"id": delivery.endpoint_id}, news):
        # The subscription has been deleted meanwhile.
        return
    seen = {"response_code": code, "duration_ms": outcome.duration_ms, "answer": outcome.answer}
    insert([Attempt(delivery=delivery, number=delivery.attempts, started_at=started_at, error=outcome.error, **seen)])
    if outcome.succeeded:
        succeed(delivery, fenced=False, **seen)
        return
    final = code == 410 or delivery.lost > MAX_LOST
    at_least = min(timedelta(seconds=outcome.retry_after or 0), LONGEST_WAIT)
    has_failed = fail(delivery, outcome.error, delays, final=final, at_least=at_least, **seen)
    if has_failed and delivery.failures <= len(delays):
        _count_failure(delivery.endpoint, gone=code == 410)


def _count_failure(endpoint: Endpoint, *, gone: bool) -> None:
    """Count a delivery that failed permanently; disable an endpoint that is gone or has failed too often."""
    Endpoint.objects.filter(pk=endpoint.pk).update(failure_count=F("failure_count") + 1)
    endpoint.refresh_from_db(fields=["failure_count"])
    if gone:
        reason = "The receiver answered 410 Gone."
    elif endpoint.failure_count >= FAILURE_BUDGET:
        reason = f"{FAILURE_BUDGET} deliveries in a row failed."
    else:
        return
    if disable_endpoint(endpoint=endpoint, reason=reason):
        notify_admins(endpoint=endpoint, reason=reason)


def _prune(endpoint_id: int) -> None:
    """Delete all but the latest finished deliveries of an endpoint. Runs once per lease: after each delivery it costs more."""
    done = Delivery.objects.filter(endpoint=endpoint_id).exclude(status=DeliveryStatus.PENDING).order_by("-id")
    oldest = done.values_list("pk", flat=True)[LOGGED_DELIVERIES - 1 : LOGGED_DELIVERIES].first()
    if oldest is not None:
        done.filter(pk__lt=oldest).delete()


@transaction.atomic
def resend(*, delivery: Delivery) -> bool:
    """Make a finished delivery of an enabled endpoint due for one more attempt: the same event with the same id.

    The failure count is set to leave no retry, and one higher if this delivery has failed before, so that it does not count
    against the endpoint twice. False if it is not finished, or its endpoint is disabled.
    """
    retries = len(retry_delays())
    again = Delivery.objects.filter(pk=delivery.pk, endpoint__in=Endpoint.objects.filter(enabled=True))
    failed = again.filter(status=DeliveryStatus.FAILED).update(**Delivery.requeued(failures=retries + 1))
    others = again.filter(status__in={DeliveryStatus.DELIVERED, DeliveryStatus.CANCELLED})
    has_finished = bool(failed or others.update(**Delivery.requeued(failures=retries)))
    if has_finished:
        wake(QUEUE)
    return has_finished


def drop_stale() -> None:
    """Cancel deliveries that waited too long while webhooks or their endpoint were off; delete events without deliveries."""
    now = timezone.now()
    Delivery.objects.exclude(endpoint__in=Endpoint.objects.all()).delete()
    pending = Delivery.objects.filter(status=DeliveryStatus.PENDING, created_at__lt=now - STALE)
    ended = {"status": DeliveryStatus.CANCELLED, "next_attempt_at": None, "finished_at": now}
    if not is_on(FEATURE):
        pending.update(**ended, error="Webhooks were off.")
    # Deliveries written while their endpoint was being disabled.
    pending.filter(endpoint__in=Endpoint.objects.filter(enabled=False)).update(**ended)
    OutboxEvent.objects.filter(deliveries=None, occurred_at__lt=now - STALE).delete()
