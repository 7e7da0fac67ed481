"""Enrols subscribers in sequences, by hand, from other modules, on activation and by tag; and stops enrolments."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from cms_api.core.locks import get_row
from cms_api.flags.selectors import is_on
from commerce.common.services import BATCH, in_lock_order
from commerce.common.types import email_key

from .. import models
from ..models import Enrolment, SequenceStep, Subscriber
from ..types import FEATURE, EnrolmentState, Status, Trigger

#: Columns of a stopped enrolment.
STOPPED: dict[str, Any] = {"state": EnrolmentState.STOPPED, "next_step": None, "next_at": None}


def enrol(*, sequence: models.Sequence, subscriber: Subscriber) -> bool:
    """Enrol a subscriber; return False if they are or were enrolled, or get no mail."""
    return enrol_all(sequence=sequence, subscribers=[subscriber]) == 1


@transaction.atomic
def enrol_all(*, sequence: models.Sequence, subscribers: Iterable[Subscriber]) -> int:
    """Enrol many subscribers, with a few statements per batch; return how many were enrolled."""
    ids = [subscriber.pk for subscriber in sorted(subscribers, key=lambda each: each.email)]
    enrolled = 0
    for start in range(0, len(ids), BATCH):
        # Locked, so that a subscriber who unsubscribes now is either left out or stopped.
        locked = Subscriber.objects.select_for_update(no_key=True).filter(pk__in=ids[start : start + BATCH], status=Status.ACTIVE)
        found = list(in_lock_order(locked, "email").values_list("pk", flat=True))
        enrolled += _write([sequence], {sequence.pk: found}, timezone.now())
    return enrolled


def enrol_address(*, slug: str, email: str) -> bool:
    """Enrol the subscriber with this address in the sequence with this slug, for modules that know people by address.

    Sequences are not transactional mail, so only active subscribers are enrolled. Nothing happens for other addresses, if
    there is no such sequence, or if the module is off.
    """
    if not is_on(FEATURE):
        return False
    sequence = models.Sequence.objects.filter(slug=slug).first()
    subscriber = Subscriber.objects.filter(email=email_key(email)).first()
    return sequence is not None and subscriber is not None and enrol(sequence=sequence, subscriber=subscriber)


def follow_activation(subscribers: Sequence[Subscriber]) -> None:
    """Enrol newly active subscribers, whose rows the caller has locked, in the sequences triggered by subscribing."""
    if subscribers:
        _enrol_by_trigger((Trigger.SUBSCRIBED, Trigger.TAGGED), [(each, each.tags) for each in subscribers])


def follow_tags(gained: Sequence[tuple[Subscriber, Collection[str]]]) -> None:
    """Enrol subscribers in the sequences of their new tags; the caller has locked the rows of active ones."""
    if gained:
        _enrol_by_trigger((Trigger.TAGGED,), gained)


def _enrol_by_trigger(triggers: Sequence[Trigger], people: Sequence[tuple[Subscriber, Collection[str]]]) -> None:
    sequences = list(models.Sequence.objects.filter(enabled=True, trigger__in=triggers))
    if not sequences:
        return
    known = [(person, {tag.casefold() for tag in tags}) for person, tags in people]
    wanted = {
        sequence.pk: [person.pk for person, tags in known if not sequence.tag or sequence.tag.casefold() in tags]
        for sequence in sequences
    }
    _write(sequences, wanted, timezone.now())


def _write(sequences: Sequence[models.Sequence], wanted: dict[int, list[int]], now: datetime) -> int:
    """Enrol subscribers who are not enrolled yet, given by sequence id; return how many were enrolled."""
    first: dict[int, SequenceStep] = {}
    for step in SequenceStep.objects.filter(sequence__in=sequences).defer("body").order_by("-position", "-id"):
        first[step.sequence_id] = step
    made = 0
    for sequence in sequences:
        if sequence.pk not in first:
            continue
        step = first[sequence.pk]
        for start in range(0, len(wanted[sequence.pk]), BATCH):
            ids = wanted[sequence.pk][start : start + BATCH]
            known = set(Enrolment.objects.filter(sequence=sequence, subscriber__in=ids).values_list("subscriber_id", flat=True))
            rows = [
                Enrolment(
                    sequence=sequence,
                    subscriber_id=each,
                    next_step_id=step.pk,
                    next_at=now + step.wait,
                    since=now,
                    enrolled_at=now,
                )
                for each in ids
                if each not in known
            ]
            # Another transaction may have enrolled one of them in the meantime.
            Enrolment.objects.bulk_create(rows, ignore_conflicts=True)
            made += len(rows)
    return made


def stop_all(subscriber_ids: Collection[int]) -> None:
    """Stop all enrolments of subscribers who no longer get mail, whose rows the caller has locked."""
    ids = list(subscriber_ids)
    for start in range(0, len(ids), BATCH):
        Enrolment.objects.filter(subscriber__in=ids[start : start + BATCH], state=EnrolmentState.ACTIVE).update(**STOPPED)


@transaction.atomic
def stop(*, enrolment: Enrolment) -> bool:
    """Stop an enrolment; return False if it was not active."""
    get_row(Subscriber.objects.select_for_update(no_key=True), enrolment.subscriber_id)
    active = Enrolment.objects.filter(pk=enrolment.pk, state=EnrolmentState.ACTIVE)
    return active.update(**STOPPED) == 1
