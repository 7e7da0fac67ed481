"""Sends due sequence steps, each exactly once, even after crashes and with concurrent workers."""

import logging
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from cms_api.flags.selectors import is_on

from .. import models
from ..models import Enrolment, SequenceStep
from ..types import FEATURE, EnrolmentState, following
from .enrolment import STOPPED
from .mailing import mail_subscriber
from .wording import MAIL, words_for

logger = logging.getLogger(__name__)

#: Seconds per run; the next run continues.
RUN_SECONDS = 20.0
#: Enrolments of a sequence that are loaded at once.
BATCH = 50
#: Delay before an email that could not be written is retried, so that it does not block others.
RETRY_DELAY = timedelta(hours=1)


class _Lost(Exception):
    """Another worker has sent or stopped the step since it was loaded."""


def send_due_steps() -> None:
    """Send due steps for a while (periodic job)."""
    if is_on(FEATURE):
        ends = time.monotonic() + RUN_SECONDS
        send_steps(stop=lambda: time.monotonic() > ends)


def send_steps(*, stop: Callable[[], bool] = lambda: False) -> int:
    """Send due steps, a batch of each sequence in turn; return how many emails were written."""
    written = 0
    going = list(models.Sequence.objects.filter(enabled=True).values_list("pk", flat=True))
    while going:
        for sequence in list(going):
            due = Enrolment.objects.filter(sequence=sequence, state=EnrolmentState.ACTIVE, next_at__lte=timezone.now())
            batch = list(due.select_related("subscriber").order_by("next_at", "id")[:BATCH])
            steps = _steps(sequence) if batch else []
            for enrolment in batch:
                if stop():
                    return written
                written += _try(enrolment, steps)
            if len(batch) < BATCH:
                going.remove(sequence)
    return written


def _steps(sequence: int) -> list[SequenceStep]:
    return list(SequenceStep.objects.filter(sequence=sequence).select_related("sequence").order_by("position", "id"))


def _try(enrolment: Enrolment, steps: Sequence[SequenceStep]) -> bool:
    try:
        return send_step(enrolment, steps)
    except Exception:
        logger.exception("The step that the enrolment %s waits for could not be written.", enrolment.pk)
        claim(enrolment, {"next_at": timezone.now() + RETRY_DELAY})
        return False


def send_step(enrolment: Enrolment, steps: Sequence[SequenceStep]) -> bool:
    """Write the email of the step an enrolment waits for, given the ordered `steps`; return whether one was written.

    The email and the enrolment's progress are committed in one transaction.
    """
    now = timezone.now()
    step = _next(enrolment, steps)
    if step is None:
        claim(enrolment, _advance(enrolment, steps, now))
        return False
    if enrolment.since + step.wait > now:
        claim(enrolment, {"next_step": step, "next_at": enrolment.since + step.wait})
        return False
    context = words_for(step, enrolment.subscriber)
    try:
        with transaction.atomic():
            # The email comes first, because it locks the subscriber; unsubscribing also locks the subscriber before its
            # enrolments.
            is_written = mail_subscriber(subscriber=enrolment.subscriber, template=MAIL, context=context)
            if not claim(enrolment, _advance(enrolment, steps, now, step) if is_written else STOPPED):
                raise _Lost
    except _Lost:
        return False
    return is_written


def _next(enrolment: Enrolment, steps: Sequence[SequenceStep]) -> SequenceStep | None:
    """Return the step an enrolment waits for, or the following one if it was deleted, or sent before it was moved."""
    by_id = {step.pk: step for step in steps}
    waited = by_id.get(enrolment.next_step_id or 0)
    if waited is not None and waited.pk not in enrolment.sent:
        return waited
    return by_id.get(following(list(by_id), enrolment.sent) or 0)


def _advance(
    enrolment: Enrolment, steps: Sequence[SequenceStep], now: datetime, step: SequenceStep | None = None
) -> dict[str, object]:
    """Return the columns of an enrolment after sending `step`: waiting for the following one, or finished."""
    by_id = {each.pk: each for each in steps}
    sent = [*enrolment.sent, *([step.pk] if step else [])]
    after = by_id.get(following(list(by_id), sent) or 0)
    if after is None:
        return {"state": EnrolmentState.FINISHED, "next_step": None, "next_at": None, "sent": sent, "since": now}
    return {"next_step": after, "next_at": now + after.wait, "sent": sent, "since": now}


def claim(enrolment: Enrolment, changes: dict[str, object]) -> bool:
    """Update an active enrolment of a running sequence unless it has changed since it was read.

    Returns whether it did; of concurrent callers, only one succeeds.
    """
    running = models.Sequence.objects.filter(pk=OuterRef("sequence_id"), enabled=True)
    # These conditions are on the enrolment's own table, so that a database that waited for a lock checks them again.
    seen = Enrolment.objects.filter(
        Exists(running),
        pk=enrolment.pk,
        state=EnrolmentState.ACTIVE,
        next_step=enrolment.next_step_id,
        next_at=enrolment.next_at,
    )
    return seen.update(**changes) == 1
