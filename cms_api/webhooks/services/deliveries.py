"""Sends due deliveries: each endpoint is leased by one worker at a time, so that a slow one delays no other."""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.leases import BATCH, LOST, Stop, free_parked, never
from cms_api.core.queues import Round, Task, Work
from cms_api.core.wakeups import wake
from cms_api.core.writing import Sql, changing, execute_together, exists
from cms_api.flags.selectors import VERSION as FEATURES
from cms_api.flags.selectors import is_on
from cms_api.outbound.connection import PinnedConnection
from cms_api.outbound.keeping import KeptConnections

from ..models import Delivery, Endpoint, OutboxEvent
from ..selectors import FEATURE, QUEUE, due_at, lease, next_due, retry_delays
from ..types import LOGGED_DELIVERIES, LONGEST_WAIT, DeliveryStatus
from .outcomes import MAX_LOST_ATTEMPTS, record_failure, success
from .sending import Outcome, headers, message, post

#: Seconds that a worker stays with one endpoint while others wait.
ENDPOINT_SECONDS = 5.0
#: Deliveries that waited this long while webhooks were off are cancelled.
STALE_AFTER = timedelta(hours=24)

#: This process's connections to endpoints, between their leases.
_connections = KeptConnections()


class _Sending(Work):
    """Serves several endpoints concurrently."""

    threads, pause, outage = 16, 0.25, 1.0

    def free_parked(self) -> None:
        free_parked(Endpoint.objects.order_by(), lease())
        free_parked(Delivery.objects.order_by(), lease(), retry_delays(), longest=LONGEST_WAIT)

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
    for _ in range(BATCH):
        due = next_due() if is_on(FEATURE) else []
        if not due:
            break
        endpoint = due[0].endpoint
        until = timezone.now() + lease()
        claim = endpoint.values_to_claim(until)
        as_read = {"id": endpoint.pk, "enabled": True, "updated_at": endpoint.updated_at, **endpoint.claimable()}
        if execute_together(changing(Endpoint, as_read, claim), durable=False)[0]:
            vars(endpoint).update(claim)
            return EndpointLease(endpoint, until, due)
        # Another worker was faster.
    return None


class EndpointLease:
    """A worker's lease of an endpoint: only this worker sends there, one delivery at a time."""

    def __init__(self, endpoint: Endpoint, until: datetime, due: list[Delivery]) -> None:
        self.endpoint = endpoint
        self._until = until
        #: Deliveries read ahead, the one that has been due longest at the end.
        self._due = due[::-1]
        leased = {"id": endpoint.pk, "enabled": True, "updated_at": endpoint.updated_at, **endpoint.fence()}
        #: The conditions of each attempt: nobody else has the lease by now, and the endpoint and the features are as they were.
        self._unchanged = (exists(Endpoint, leased), versions.is_current(FEATURES))

    def work(self, stop: Stop = never) -> Round:
        """Attempt due deliveries until none is left, an attempt fails, or other endpoints' turn comes."""
        ends = time.monotonic() + ENDPOINT_SECONDS
        made = Round()
        try:
            with _connections.lend(self.endpoint.pk) as connection:
                delivery = None if stop() else self._begin_next()
                while delivery is not None:
                    made.attempts += 1
                    started_at, outcome = timezone.now(), attempt(delivery, connection)
                    # A receiver that fails is not called again at once.
                    made.goes_on = outcome.succeeded
                    if not outcome.succeeded:
                        record_failure(delivery, outcome, started_at)
                        break
                    recording = success(delivery, outcome, started_at)
                    if stop() or time.monotonic() >= ends:
                        execute_together(*recording, durable=False)
                        break
                    delivery = self._begin_next(recording)
        finally:
            self._release(made.attempts)
        return made

    def _release(self, attempts: int) -> None:
        leased = {"id": self.endpoint.pk, **self.endpoint.fence()}
        pruning = _pruning(self.endpoint) if attempts else []
        execute_together(changing(Endpoint, leased, Endpoint.RELEASED), *pruning, durable=False)

    def _begin_next(self, recording: Sequence[Sql] = ()) -> Delivery | None:
        """Count an attempt of the delivery that has been due longest, before it is made; record the one before with it.

        None if nothing is due, if the lease was lost, or if the endpoint or the delivery has been changed meanwhile.
        """
        if not self._due:
            if recording:
                execute_together(*recording, durable=False)
            recording, self._due = (), due_at(self.endpoint)[::-1]
        if not self._due:
            return None
        delivery = self._due.pop()
        # The lease is longer than ENDPOINT_SECONDS and an attempt together, so it needs no renewal.
        begun = delivery.values_to_begin(self._until)
        as_read = {"id": delivery.pk, **delivery.fence()}
        *_, found = execute_together(*recording, changing(Delivery, as_read, begun, *self._unchanged), durable=False)
        if not found:
            return None
        vars(delivery).update(begun)
        return delivery


def attempt(delivery: Delivery, connection: PinnedConnection) -> Outcome:
    """Make an attempt that has been counted, and return its outcome."""
    if delivery.lost > MAX_LOST_ATTEMPTS:
        return Outcome(None, "", LOST)
    now, endpoint, body = timezone.now(), delivery.endpoint, message(delivery)
    sent = headers(endpoint=endpoint, kind=delivery.event.kind, delivery_id=delivery.pk, body=body, now=now)
    return post(endpoint.url, body, sent, now, connection)


def _pruning(endpoint: Endpoint) -> list[Sql]:
    """Return the statements that delete all but the latest finished deliveries. After each delivery they would cost more."""
    return [Sql(text, [endpoint.pk, endpoint.pk]) for text in _PRUNING]


_FINISHED = "webhooks_delivery WHERE endpoint_id = %s AND status <> 'pending'"
_OLD = f"{_FINISHED} AND id < (SELECT id FROM {_FINISHED} ORDER BY id DESC LIMIT 1 OFFSET {LOGGED_DELIVERIES - 1})"
_PRUNING = (f"DELETE FROM webhooks_attempt WHERE delivery_id IN (SELECT id FROM {_OLD})", f"DELETE FROM {_OLD}")


@transaction.atomic
def resend(*, delivery: Delivery) -> bool:
    """Make a finished delivery of an enabled endpoint due for one more attempt: the same event with the same id.

    The failure count is set to leave no retry, and one higher if this delivery has failed before, so that it does not count
    against the endpoint twice. False if it is not finished, or its endpoint is disabled.
    """
    retries = len(retry_delays())
    again = Delivery.objects.filter(pk=delivery.pk, endpoint__in=Endpoint.objects.filter(enabled=True))
    failed = again.filter(status=DeliveryStatus.FAILED).update(**Delivery.values_to_requeue(failures=retries + 1))
    others = again.filter(status__in={DeliveryStatus.DELIVERED, DeliveryStatus.CANCELLED})
    has_finished = bool(failed or others.update(**Delivery.values_to_requeue(failures=retries)))
    if has_finished:
        wake(QUEUE)
    return has_finished


def drop_stale() -> None:
    """Cancel deliveries that waited too long while webhooks or their endpoint were off; delete events without deliveries."""
    now = timezone.now()
    Delivery.objects.exclude(endpoint__in=Endpoint.objects.all()).delete()
    pending = Delivery.objects.filter(status=DeliveryStatus.PENDING, created_at__lt=now - STALE_AFTER)
    ended = {"status": DeliveryStatus.CANCELLED, "next_attempt_at": None, "finished_at": now}
    if not is_on(FEATURE):
        pending.update(**ended, error="Webhooks were off.")
    # Deliveries written while their endpoint was being disabled.
    pending.filter(endpoint__in=Endpoint.objects.filter(enabled=False)).update(**ended)
    OutboxEvent.objects.filter(deliveries=None, occurred_at__lt=now - STALE_AFTER).delete()
