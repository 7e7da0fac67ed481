"""Creates, fills in, activates and unsubscribes subscribers, for all modules."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row, lock_to_delete
from cms_api.core.records import delete_record
from cms_api.webhooks.services import emit_all
from commerce.common.services import BATCH, bulk_get_or_create, fill_blanks, in_lock_order, log_all
from commerce.common.types import join_tags
from commerce.crm.services import record_activities
from commerce.crm.types import ActivityKind, NewActivity

from ..models import MailingList, Subscriber
from ..selectors import public_lists
from ..types import Promise, Status, new_tags
from .enrolment import follow_activation, follow_tags, stop_all

Values = Mapping[str, Any]

FILLED = ("first_name", "last_name", "tags")
#: Columns that people and integrations may change.
CHANGED = (*FILLED, "source")
_STANDING = ("status", "confirmed_at", "unsubscribed_at")


@dataclass(frozen=True, slots=True)
class Upserted:
    subscriber: Subscriber
    created: bool
    #: Whether an existing one was changed.
    changed: bool = False


def upsert_subscriber(*, values: Values, source: str, status: Status = Status.ACTIVE) -> Upserted:
    """See `upsert_subscribers`."""
    return upsert_subscribers(rows=[values], source=source, status=status)[0]


@transaction.atomic
def upsert_subscribers(
    *, rows: Sequence[Values], source: str, status: Status = Status.ACTIVE, tags: Sequence[str] = ()
) -> list[Upserted]:
    """Create the subscriber of each row with this status, or fill in the blank fields of the one with its address.

    `rows` are as read by `SubscriberInput`. Unsubscribed and pending subscribers keep their status unless the row has a
    true `resubscribe`. If an address comes twice, the later row fills in what the earlier one left blank. `tags` are added
    to all.
    """
    wanted: dict[str, list[Values]] = {}
    for row in rows:
        wanted.setdefault(row["email"], []).append(row)
    now = timezone.now()
    found, made = bulk_get_or_create(
        Subscriber,
        "email",
        list(wanted),
        lambda emails: [_new(email, wanted[email], source, status, now, tags) for email in emails],
    )
    changed: list[Subscriber] = []
    gained: list[tuple[Subscriber, Sequence[str]]] = []
    activated = [each for each in made.values() if each.status == Status.ACTIVE]
    for email, subscriber in found.items():
        before = subscriber.tags
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
        if subscriber.status == Status.ACTIVE and not returns:
            gained.append((subscriber, new_tags(before, joined)))
    Subscriber.objects.bulk_update(changed, [*FILLED, *_STANDING, "updated_at"], batch_size=BATCH)
    _index([*made.values(), *changed])
    _welcome(activated)
    follow_tags([(subscriber, fresh) for subscriber, fresh in gained if fresh])
    both, first = found | made, set(made)
    outcome, filled_in = [], {subscriber.email for subscriber in changed}
    for row in rows:
        outcome.append(Upserted(both[row["email"]], created=row["email"] in first, changed=row["email"] in filled_in))
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
    """Emit events, record activities and enrol in sequences when subscribers become active."""
    emit_all("subscriber.created", subscribers)
    _record(subscribers, "Subscribed")
    follow_activation(subscribers)


def _record(subscribers: Sequence[Subscriber], summary: str) -> None:
    record_activities([(each.email, NewActivity(ActivityKind.SUBSCRIPTION, summary)) for each in subscribers])


def _index(subscribers: Sequence[Subscriber]) -> None:
    for start in range(0, len(subscribers), BATCH):
        get_search_backend().add_bulk(Subscriber, subscribers[start : start + BATCH])


def _lock(subscriber: Subscriber) -> Subscriber:
    return get_row(Subscriber.objects.select_for_update(no_key=True), subscriber.pk)


@transaction.atomic
def confirm(*, subscriber: Subscriber, tags: Sequence[str] = (), values: Values | None = None) -> bool:
    """Activate a subscriber who has confirmed the address; return False if already active.

    In either case adds `tags` and fills in blank names from `values`.
    """
    locked = _lock(subscriber)
    was_active = locked.status == Status.ACTIVE
    joined = join_tags(locked.tags, tags)
    filled = fill_blanks(locked, values or {}, ("first_name", "last_name"))
    if was_active and joined == locked.tags and not filled:
        return False
    now, before = timezone.now(), locked.tags
    locked.tags, locked.updated_at = joined, now
    if not was_active:
        _activate(locked, now)
    locked.save(update_fields=[*FILLED, *_STANDING, "updated_at"])
    _index([locked])
    if was_active:
        follow_tags([(locked, new_tags(before, joined))])
    else:
        _welcome([locked])
    return not was_active


def keep_promise(*, promise: Promise) -> bool | None:
    """Apply the request that an emailed link confirms; return whether the subscriber became active.

    Returns None if the link is void: the subscriber is gone, or has unsubscribed since it was sent.
    """
    with transaction.atomic():
        subscriber = Subscriber.objects.filter(pk=promise.subscriber_id).first()
        if subscriber is None:
            return None
        locked = _lock(subscriber)
        if is_void(promise, locked):
            return None
        tags = [each.tag for each in promised_lists(promise)]
        values = {"first_name": promise.first_name, "last_name": promise.last_name}
        return confirm(subscriber=locked, tags=tags, values=values)


def is_void(promise: Promise, subscriber: Subscriber) -> bool:
    """Return whether the subscriber unsubscribed after the link was sent: it may not resubscribe them."""
    left = subscriber.unsubscribed_at
    return subscriber.status == Status.UNSUBSCRIBED and left is not None and left >= promise.asked_at


def promised_lists(promise: Promise) -> list[MailingList]:
    """Return the chosen lists that still exist."""
    return [each for each in public_lists() if each.slug in promise.list_slugs]


@transaction.atomic
def choose(*, subscriber: Subscriber, lists: Sequence[MailingList], values: Values) -> Subscriber | None:
    """Set the public lists and names of an active subscriber; return None if not active.

    `values` has `first_name` and `last_name`, which may be empty. Tags of no public list are unchanged.
    """
    locked = _lock(subscriber)
    if locked.status != Status.ACTIVE:
        return None
    chosen = {each.tag.casefold() for each in lists}
    left = {each.tag.casefold() for each in public_lists()} - chosen
    tags = join_tags((tag for tag in locked.tags if tag.casefold() not in left), [each.tag for each in lists])
    after = {"tags": tags, "first_name": values["first_name"], "last_name": values["last_name"]}
    if any(getattr(locked, name) != value for name, value in after.items()):
        gained = new_tags(locked.tags, tags)
        for name, value in after.items():
            setattr(locked, name, value)
        locked.updated_at = timezone.now()
        locked.save(update_fields=[*after, "updated_at"])
        _index([locked])
        follow_tags([(locked, gained)])
    return locked


@transaction.atomic
def update_subscriber(*, subscriber: Subscriber, values: Values, user: Any = None) -> Subscriber:
    """Set the given names, tags and source, as read by `SubscriberInput`.

    Status and dates are unchanged. Raises Invalid for a different address (`email`).
    """
    locked = _lock(subscriber)
    if values.get("email", locked.email) != locked.email:
        raise Invalid({"email": "The email cannot be changed."})
    before = {name: getattr(locked, name) for name in CHANGED}
    for name in CHANGED:
        if name in values:
            setattr(locked, name, values[name] or ([] if name == "tags" else ""))
    if before == {name: getattr(locked, name) for name in CHANGED}:
        return locked
    locked.updated_at = timezone.now()
    locked.save(update_fields=[*CHANGED, "updated_at"])
    _index([locked])
    if locked.status == Status.ACTIVE:
        follow_tags([(locked, new_tags(before["tags"], locked.tags))])
    log(instance=locked, action="wagtail.edit", user=user)
    return locked


@transaction.atomic
def add_tag(*, subscribers: Iterable[Subscriber], tag: str, user: Any = None) -> int:
    """Add a tag to subscribers; return how many changed. Those with the maximum number of tags are skipped."""
    changed, gained = [], []
    for locked in _lock_all(subscribers):
        joined = join_tags(locked.tags, [tag])
        if joined != locked.tags:
            locked.tags, locked.updated_at = joined, timezone.now()
            changed.append(locked)
            if locked.status == Status.ACTIVE:
                gained.append((locked, [tag]))
    Subscriber.objects.bulk_update(changed, ["tags", "updated_at"], batch_size=BATCH)
    follow_tags(gained)
    log_all(changed, "wagtail.edit", user=user)
    return len(changed)


def _lock_all(subscribers: Iterable[Subscriber]) -> list[Subscriber]:
    """Return the rows, locked in the standard order."""
    ids = [each.pk for each in sorted(subscribers, key=lambda each: each.email)]
    found: list[Subscriber] = []
    for start in range(0, len(ids), BATCH):
        part = Subscriber.objects.select_for_update(no_key=True).filter(pk__in=ids[start : start + BATCH])
        found += in_lock_order(part, "email")
    return found


@transaction.atomic
def resubscribe(*, subscriber: Subscriber, user: Any = None) -> bool:
    """Reactivate an unsubscribed or pending subscriber by hand; return False if already active."""
    locked = _lock(subscriber)
    if locked.status == Status.ACTIVE:
        return False
    upsert_subscriber(values={"email": locked.email, "resubscribe": True}, source=locked.source)
    log(instance=locked, action="marketing.resubscribe", user=user)
    return True


def unsubscribe(*, subscriber: Subscriber, user: Any = None) -> Subscriber:
    """Unsubscribe from all mailings; the event is emitted once. The row stays, so that nobody emails them again."""
    unsubscribe_all(subscribers=[subscriber], user=user)
    return get_row(Subscriber.objects.all(), subscriber.pk)


@transaction.atomic
def unsubscribe_all(*, subscribers: Iterable[Subscriber], user: Any = None) -> int:
    """Unsubscribe many; return how many were not unsubscribed before."""
    locked = [each for each in _lock_all(subscribers) if each.status != Status.UNSUBSCRIBED]
    now = timezone.now()
    for each in locked:
        each.status, each.unsubscribed_at, each.updated_at = Status.UNSUBSCRIBED, now, now
    Subscriber.objects.bulk_update(locked, ["status", "unsubscribed_at", "updated_at"], batch_size=BATCH)
    stop_all([each.pk for each in locked])
    emit_all("subscriber.unsubscribed", locked)
    _record(locked, "Unsubscribed")
    if user is not None:
        log_all(locked, "marketing.unsubscribe", user=user)
    return len(locked)


@transaction.atomic
def delete_subscriber(*, subscriber: Subscriber, user: Any = None) -> None:
    """Delete a subscriber for good, including the record that they want no mail."""
    lock_to_delete(subscriber)
    get_search_backend().delete(subscriber)
    delete_record(record=subscriber, user=user)
