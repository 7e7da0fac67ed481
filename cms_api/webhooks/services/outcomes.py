"""Records the outcomes of attempts, in the log of a delivery, on the delivery and on its endpoint."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from cms_api.core.leases import fail
from cms_api.core.writing import Sql, changing, execute_together, exists, inserting

from ..models import Attempt, Delivery, Endpoint
from ..selectors import retry_delays
from ..types import FAILURE_BUDGET, GONE_STATUS, LONGEST_WAIT
from .endpoints import disable_endpoint
from .notices import notify_admins
from .sending import Outcome

#: A delivery fails after more than this many attempts in a row with an unknown outcome, because their workers died.
MAX_LOST_ATTEMPTS = 20


def success(delivery: Delivery, outcome: Outcome, started_at: datetime) -> list[Sql]:
    """Return the statements that record a success, however late: it cannot be undone."""
    done = delivery.values_of_success() | _answer(outcome)
    return [
        *_build_log(delivery, outcome, started_at, failure_count=0),
        changing(Delivery, {"id": delivery.pk, **Delivery.PENDING}, done),
    ]


@transaction.atomic
def record_failure(delivery: Delivery, outcome: Outcome, started_at: datetime) -> None:
    """Make a delivery due again, or let it fail; that may disable its endpoint."""
    if not execute_together(*_build_log(delivery, outcome, started_at))[0]:
        # The subscription has been deleted meanwhile.
        return
    delays, is_gone = retry_delays(), outcome.code == GONE_STATUS
    final = is_gone or delivery.lost > MAX_LOST_ATTEMPTS
    at_least = min(timedelta(seconds=outcome.retry_after or 0), LONGEST_WAIT)
    has_failed = fail(delivery, outcome.error, delays, final=final, at_least=at_least, **_answer(outcome))
    if has_failed and delivery.failures <= len(delays):
        _count_failure(delivery.endpoint, is_gone=is_gone)


def _answer(outcome: Outcome) -> dict[str, int | str | None]:
    return {"response_code": outcome.code, "duration_ms": outcome.duration_ms, "answer": outcome.answer}


def _build_log(delivery: Delivery, outcome: Outcome, started_at: datetime, **changes: int) -> list[Sql]:
    """Return the statements that log an attempt, unless its subscription has been deleted.

    The first one changes the endpoint, and so locks it first, as when it is disabled or deleted.
    """
    news = {"last_delivery_at": timezone.now(), "last_response_code": outcome.code, **changes}
    row = Attempt(delivery=delivery, number=delivery.attempts, started_at=started_at, error=outcome.error, **_answer(outcome))
    return [
        changing(Endpoint, {"id": delivery.endpoint_id}, news),
        inserting(row, exists(Delivery, {"id": delivery.pk})),
    ]


def _count_failure(endpoint: Endpoint, *, is_gone: bool) -> None:
    """Count a delivery that failed permanently; disable an endpoint that is gone or has failed too often."""
    Endpoint.objects.filter(pk=endpoint.pk).update(failure_count=F("failure_count") + 1)
    endpoint.refresh_from_db(fields=["failure_count"])
    if is_gone:
        reason = "The receiver answered 410 Gone."
    elif endpoint.failure_count >= FAILURE_BUDGET:
        reason = f"{FAILURE_BUDGET} deliveries in a row failed."
    else:
        return
    if disable_endpoint(endpoint=endpoint, reason=reason):
        notify_admins(endpoint=endpoint, reason=reason)
