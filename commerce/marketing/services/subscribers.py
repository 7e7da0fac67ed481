"""Subscribers: found by their address or made, filled in, activated and unsubscribed; the one way for everybody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.webhooks.services import emit, emit_all
from commerce.common.services import BATCH, fill_blanks, find_or_create
from commerce.common.types import join_tags
from commerce.crm.services import tell_all
from commerce.crm.types import ActivityKind, Happening

from ..models import Subscriber
from ..types import Status

Values = Mapping[str, Any]

FILLED = ("first_name", "last_name", "tags")
_STANDING = ("status", "confirmed_at", "unsubscribed_at")


@dataclass(frozen=True, slots=True)
class Upserted:
    subscriber: Subscriber
    created: bool


def upsert_subscriber(*, values: Values, source: str, status: Status = Status.ACTIVE) -> Upserted:
    """See `upsert_subscribers`."""
    return upsert_subscribers(rows=[values], source=source, status=status)[0]


@transaction.atomic
def upsert_subscribers(
    *, rows: Sequence[Values], source: str, status: Status = Status.ACTIVE, tags: Sequence[str] = ()
) -> list[Upserted]:
    """The subscriber of each row: a new one with this status, or the one who has the address, of whom only blanks are filled in.

    `rows` are as `SubscriberInput` reads them. Who unsubscribed, or has not confirmed yet, stays so unless the row has a true
    `resubscribe`. Where an address comes twice, the later row fills in what the earlier one left. `tags` are added to
    everybody's.
    """
    wanted: dict[str, list[Values]] = {}
    for row in rows:
        wanted.setdefault(row["email"], []).append(row)
    now = timezone.now()
    found, made = find_or_create(
        Subscriber,
        "email",
        list(wanted),
        lambda emails: [_new(email, wanted[email], source, status, now, tags) for email in emails],
    )
    changed, activated = [], [each for each in made.values() if each.status == Status.ACTIVE]
    for email, subscriber in found.items():
        filled = [name for values in wanted[email] for name in fill_blanks(subscriber, values, FILLED)]
        returns = subscriber.status != Status.ACTIVE and any(values.get("resubscribe") for values in wanted[email])
        if returns:
            _activate(subscriber, now)
            activated.append(subscriber)
        joined = join_tags(subscriber.tags, tags)
        if filled or returns or joined != subscriber.tags:
            subscriber.tags = joined
            subscriber.updated_at = now
            changed.append(subscriber)
    Subscriber.objects.bulk_update(changed, [*FILLED, *_STANDING, "updated_at"], batch_size=BATCH)
    _index([*made.values(), *changed])
    _welcome(activated)
    both, first = found | made, set(made)
    outcome = []
    for row in rows:
        outcome.append(Upserted(both[row["email"]], created=row["email"] in first))
        first.discard(row["email"])
    return outcome


def _new(email: str, parts: Sequence[Values], source: str, status: Status, now: datetime, tags: Sequence[str]) -> Subscriber:
    subscriber = Subscriber(email=email, status=status, created_at=now, updated_at=now)
    for values in parts:
        fill_blanks(subscriber, values, (*FILLED, "source"))
    subscriber.source = subscriber.source or source
    subscriber.tags = join_tags(subscriber.tags, tags)
    if status == Status.ACTIVE:
        _activate(subscriber, now)
    return subscriber


def _activate(subscriber: Subscriber, now: datetime) -> None:
    subscriber.status, subscriber.confirmed_at, subscriber.unsubscribed_at = Status.ACTIVE, now, None


def _welcome(subscribers: Sequence[Subscriber]) -> None:
    """What follows where somebody becomes active."""
    emit_all("subscriber.created", subscribers)
    tell_all([(each.email, Happening(ActivityKind.SUBSCRIPTION, "Subscribed")) for each in subscribers])


def _index(subscribers: Sequence[Subscriber]) -> None:
    for start in range(0, len(subscribers), BATCH):
        get_search_backend().add_bulk(Subscriber, subscribers[start : start + BATCH])


@transaction.atomic
def confirm(*, subscriber: Subscriber, tags: Sequence[str] = ()) -> bool:
    """Activates somebody who has shown that the address is theirs; False where they were active before.

    `tags` are added to theirs in either case.
    """
    held = Subscriber.objects.select_for_update(no_key=True).get(pk=subscriber.pk)
    was_active = held.status == Status.ACTIVE
    joined = join_tags(held.tags, tags)
    if was_active and joined == held.tags:
        return False
    now = timezone.now()
    held.tags, held.updated_at = joined, now
    if not was_active:
        _activate(held, now)
    held.save(update_fields=[*_STANDING, "tags", "updated_at"])
    if not was_active:
        _welcome([held])
    return not was_active


@transaction.atomic
def unsubscribe(*, subscriber: Subscriber) -> Subscriber:
    """Ends every mail to somebody; told once, however often it is asked for. The row stays, so that nobody writes again."""
    held = Subscriber.objects.select_for_update(no_key=True).get(pk=subscriber.pk)
    if held.status == Status.UNSUBSCRIBED:
        return held
    now = timezone.now()
    held.status, held.unsubscribed_at, held.updated_at = Status.UNSUBSCRIBED, now, now
    held.save(update_fields=["status", "unsubscribed_at", "updated_at"])
    emit("subscriber.unsubscribed", held)
    tell_all([(held.email, Happening(ActivityKind.SUBSCRIPTION, "Unsubscribed"))])
    return held
