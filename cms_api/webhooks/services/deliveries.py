"""Takes what is due and sends it: each endpoint by one worker at a time, so that a slow one holds up nobody else's."""

import logging
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import close_old_connections, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from cms_api.core import versions
from cms_api.flags.selectors import is_on

from ..models import Attempt, Delivery, Endpoint, OutboxEvent
from ..selectors import FEATURE, lease, retry_ladder
from ..types import FAILURE_BUDGET, KEPT_DELIVERIES, DeliveryStatus, next_delay
from .connection import Line
from .endpoints import disable_endpoint
from .notices import tell_admins
from .sending import Outcome, headers, message, post

logger = logging.getLogger(__name__)

#: How long a worker stays with one endpoint while others wait.
TURN = 5.0
#: How long the periodic job sends; a worker's senders are always at it.
JOB = 20.0
#: Attempts whose end nobody knows, because a worker died in them, beyond those that the ladder gives.
LOST_ATTEMPTS = 20
#: What waited this long while webhooks were off is dropped.
STALE = timedelta(hours=24)


def deliver_due(*, stop: Callable[[], bool] = lambda: False) -> int:
    """Sends everything that is due now, in this thread; how many attempts were made."""
    made = 0
    while not stop() and (turn := take_turn()) is not None:
        made += turn.send(stop=stop)
    return made


def deliver_for_a_while() -> None:
    """For `run_due` and hosts without a worker: sends what is due, but not for so long that other jobs wait."""
    ends = time.monotonic() + JOB
    deliver_due(stop=lambda: time.monotonic() > ends)


def take_turn() -> "Turn | None":
    """Leases the endpoint that has waited longest for its turn and that something is due to; None where there is none."""
    if not _is_dispatching():
        return None
    now = timezone.now()
    free = Q(leased_until=None) | Q(leased_until__lte=now)
    due = Delivery.objects.filter(endpoint=OuterRef("pk"), status=DeliveryStatus.PENDING, next_attempt_at__lte=now)
    waiting = Endpoint.objects.filter(free, Exists(due), enabled=True).order_by(F("last_delivery_at").asc(nulls_first=True), "pk")
    for endpoint_id in waiting.values_list("pk", flat=True)[:20]:
        holder = secrets.token_hex(16)
        if Endpoint.objects.filter(free, pk=endpoint_id, enabled=True).update(leased_by=holder, leased_until=now + lease()):
            return Turn(endpoint_id, holder)
    return None


def _is_dispatching() -> bool:
    """Whether webhooks are on at this moment, whatever this thread has seen before."""
    versions.forget()
    return is_on(FEATURE)


@dataclass(frozen=True)
class Turn:
    """A worker's lease of an endpoint: it alone sends there, one delivery after the other."""

    endpoint_id: int
    holder: str

    def send(self, *, stop: Callable[[], bool] = lambda: False) -> int:
        """Attempts what is due until nothing is, an attempt fails, or others should have their turn; how many were made."""
        ends = time.monotonic() + TURN

        def may_go_on() -> bool:
            return not stop() and time.monotonic() < ends and _is_dispatching()

        made = 0
        try:
            with Line() as line:
                while may_go_on() and (delivery := self._next()) is not None:
                    made += 1
                    if not attempt(delivery, self.holder, line):
                        break
            if made:
                _prune(self.endpoint_id)
        finally:
            Endpoint.objects.filter(pk=self.endpoint_id, leased_by=self.holder).update(leased_by="", leased_until=None)
        return made

    def _next(self) -> Delivery | None:
        """What is due first, as long as the endpoint is ours to send to."""
        ours = {"endpoint": self.endpoint_id, "endpoint__enabled": True, "endpoint__leased_by": self.holder}
        due = Delivery.objects.filter(**ours, status=DeliveryStatus.PENDING, next_attempt_at__lte=timezone.now())
        return due.select_related("event", "endpoint").order_by("next_attempt_at", "id").first()


def attempt(delivery: Delivery, holder: str, line: Line) -> bool:
    """Makes one attempt and records it; whether it succeeded."""
    now = timezone.now()
    if not _begin(delivery, holder, now):
        return False
    delivery.attempts += 1
    if delivery.attempts > delivery.failures + LOST_ATTEMPTS:
        _record(delivery, Outcome(None, "", "Too many attempts were interrupted."), started_at=now)
        return False
    endpoint, body = delivery.endpoint, message(delivery)
    sent = headers(endpoint=endpoint, kind=delivery.event.kind, delivery_id=delivery.pk, body=body, now=now)
    outcome = post(endpoint.url, body, sent, now, line)
    _record(delivery, outcome, started_at=now)
    return outcome.succeeded


@transaction.atomic
def _begin(delivery: Delivery, holder: str, now: datetime) -> bool:
    """Counts an attempt before it is made, and keeps the lease for as long as it may take; False where either is not ours."""
    until = now + lease()
    leased = Endpoint.objects.filter(pk=delivery.endpoint_id, leased_by=holder, enabled=True)
    mine = Delivery.objects.filter(pk=delivery.pk, status=DeliveryStatus.PENDING, attempts=delivery.attempts)
    return bool(leased.update(leased_until=until) and mine.update(attempts=F("attempts") + 1, next_attempt_at=until))


@transaction.atomic
def _record(delivery: Delivery, outcome: Outcome, *, started_at: datetime) -> None:
    """Writes down what came of an attempt. The endpoint's row is locked first, as by whoever disables or deletes it."""
    now, code = timezone.now(), outcome.code
    news = {"last_delivery_at": now, "last_response_code": code} | ({"failure_count": 0} if outcome.succeeded else {})
    if not Endpoint.objects.filter(pk=delivery.endpoint_id).update(**news):
        # The subscription was deleted meanwhile.
        return
    seen = {"response_code": code, "duration_ms": outcome.duration_ms, "answer": outcome.answer, "error": outcome.error}
    Attempt.objects.create(delivery=delivery, number=delivery.attempts, started_at=started_at, **seen)
    pending = Delivery.objects.filter(pk=delivery.pk, status=DeliveryStatus.PENDING)
    if outcome.succeeded:
        pending.update(**seen, status=DeliveryStatus.DELIVERED, next_attempt_at=None, finished_at=now)
        return
    failures = delivery.failures + 1
    wait = next_delay(failures, retry_ladder(), retry_after=outcome.retry_after)
    if code == 410 or wait is None or delivery.attempts > failures + LOST_ATTEMPTS:
        pending.update(**seen, failures=failures, status=DeliveryStatus.FAILED, next_attempt_at=None, finished_at=now)
        if delivery.failures <= len(retry_ladder()):
            _count_failure(delivery.endpoint, gone=code == 410)
    else:
        pending.update(**seen, failures=failures, next_attempt_at=now + wait)


def _count_failure(endpoint: Endpoint, *, gone: bool) -> None:
    """Notes a delivery that failed for good, and disables an endpoint that is gone or has failed too often."""
    Endpoint.objects.filter(pk=endpoint.pk).update(failure_count=F("failure_count") + 1)
    endpoint.refresh_from_db(fields=["failure_count"])
    if gone:
        reason = "The receiver answered 410 Gone."
    elif endpoint.failure_count >= FAILURE_BUDGET:
        reason = f"{FAILURE_BUDGET} deliveries in a row failed."
    else:
        return
    if disable_endpoint(endpoint=endpoint, reason=reason):
        tell_admins(endpoint=endpoint, reason=reason)


def _prune(endpoint_id: int) -> None:
    """Keeps the latest deliveries of an endpoint, and whatever still waits. At the end of a turn: for each it would cost more."""
    done = Delivery.objects.filter(endpoint=endpoint_id).exclude(status=DeliveryStatus.PENDING).order_by("-id")
    oldest = done.values_list("pk", flat=True)[KEPT_DELIVERIES - 1 : KEPT_DELIVERIES].first()
    if oldest is not None:
        done.filter(pk__lt=oldest).delete()


@transaction.atomic
def resend(*, delivery: Delivery) -> None:
    """Makes one more attempt of a finished delivery due, the same event with the same id.

    One that had failed has been counted: by its number of failures it is not counted again.
    """
    now, retries = timezone.now(), len(retry_ladder())
    again = Delivery.objects.filter(pk=delivery.pk)
    for statuses, failures in (
        ({DeliveryStatus.FAILED}, retries + 1),
        ({DeliveryStatus.DELIVERED, DeliveryStatus.CANCELLED}, retries),
    ):
        again.filter(status__in=statuses).update(
            status=DeliveryStatus.PENDING, failures=failures, next_attempt_at=now, finished_at=None
        )


def drop_stale() -> None:
    """Ends what has waited too long while webhooks were off or nobody is left to send to; forgets events nobody waits for."""
    now = timezone.now()
    Delivery.objects.exclude(endpoint__in=Endpoint.objects.all()).delete()
    pending = Delivery.objects.filter(status=DeliveryStatus.PENDING)
    ended = {"status": DeliveryStatus.CANCELLED, "next_attempt_at": None, "finished_at": now}
    if not is_on(FEATURE):
        pending.filter(created_at__lt=now - STALE).update(**ended, error="Webhooks were off.")
    # Written while their endpoint was being disabled.
    disabled = Endpoint.objects.filter(enabled=False)
    pending.filter(created_at__lt=now - STALE, endpoint__in=disabled).update(**ended)
    OutboxEvent.objects.filter(deliveries=None, occurred_at__lt=now - STALE).delete()


class Senders:
    """Sends what is due to several endpoints at once, until it is told to stop."""

    def __init__(self, count: int = 16, pause: float = 0.25) -> None:
        self._pause = pause
        self._stop = threading.Event()
        self._free = threading.BoundedSemaphore(count)
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="sender")
        self._thread = threading.Thread(target=self._run, name="senders", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Begins no more attempts and waits for those that run."""
        self._stop.set()
        self._thread.join()
        self._pool.shutdown(cancel_futures=True)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._free.acquire()
            turn = self._next()
            if turn is None:
                self._free.release()
                close_old_connections()
                self._stop.wait(self._pause)
            else:
                self._pool.submit(self._send, turn)

    @staticmethod
    def _next() -> Turn | None:
        try:
            return take_turn()
        except Exception:
            logger.exception("What is due could not be looked up.")
            return None

    def _send(self, turn: Turn) -> None:
        try:
            turn.send(stop=self._stop.is_set)
        except Exception:
            logger.exception("Deliveries to the endpoint %s could not be sent.", turn.endpoint_id)
        finally:
            close_old_connections()
            self._free.release()
