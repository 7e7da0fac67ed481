"""Imports the reviews of other providers. They belong to the provider: a change there is taken over, our hiding stays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid, invalid_choice
from cms_api.webhooks.services import emit_all
from commerce.common.services import BATCH, bulk_get_or_create

from ..models import Review
from ..selectors import synced_at_provider
from ..types import REMOVED, SYNCED, provider_key
from .moderation import invalidate
from .reading import read_file

#: The columns that a provider may change. A reply that it does not have is left alone.
TEXTS = ("author_name", "rating", "title", "body", "reply", "url", "left_at")


@dataclass(frozen=True, slots=True)
class Synced:
    """How many reviews an import has created and changed, and how many the provider has removed."""

    created: int = 0
    changed: int = 0
    removed: int = 0


def sync_reviews(*, provider: str, content: bytes, is_complete: bool = False, user: Any = None) -> Synced:
    """Import a JSON file of a provider. With `is_complete`, reviews that are not in it are gone at the provider: they are hidden.

    Raises Invalid (`provider`, `file`), and then imports nothing.
    """
    if provider not in SYNCED:
        raise Invalid({"provider": invalid_choice("provider", SYNCED)})
    rows = read_file(provider, content)
    if is_complete and not rows:
        raise Invalid({"file": "The file has no reviews. Import it without removing the others."})
    with transaction.atomic():
        synced = _store(rows)
        removed = _remove_others(provider, {provider_key(provider, row["provider_id"]) for row in rows}) if is_complete else 0
    return Synced(len(synced.created), synced.changed, synced.removed + removed)


@transaction.atomic
def write(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[bool]:
    """Store rows of a CSV file; return whether each created a review."""
    created = _store(rows).created
    made = []
    for row in rows:
        key = provider_key(row["provider"], row["provider_id"])
        made.append(key in created)
        created.discard(key)
    return made


@dataclass(slots=True)
class _Stored:
    created: set[str]
    changed: int
    removed: int


def _store(rows: Sequence[Mapping[str, Any]]) -> _Stored:
    now = timezone.now()
    by_key = {provider_key(row["provider"], row["provider_id"]): row for row in rows}
    known, made = bulk_get_or_create(Review, "provider_key", by_key, lambda keys: [_new(key, by_key[key], now) for key in keys])
    changed = [review for key, review in known.items() if _update(review, by_key[key], now)]
    Review.objects.filter(provider_key__in=known).update(synced_at=now)
    fields = [*TEXTS, "is_visible", "hidden_reason", "removed_at", "updated_at"]
    Review.objects.bulk_update(changed, fields, batch_size=BATCH)
    new = list(made.values())
    if new or changed:
        get_search_backend().add_bulk(Review, [*new, *changed])
        invalidate([])
    emit_all("review.received", new)
    gone = sum(review.removed_at == now for review in changed)
    return _Stored(set(made), len(changed) - gone, gone)


def _new(key: str, row: Mapping[str, Any], now: datetime) -> Review:
    given = {name: row[name] for name in TEXTS}
    review = Review(provider=row["provider"], provider_key=key, **given, synced_at=now, created_at=now, updated_at=now)
    review.replied_at = now if review.reply else None
    if row["removed"]:
        _mark_removed(review, now)
    return review


def _update(review: Review, row: Mapping[str, Any], now: datetime) -> bool:
    """Take over what has changed at the provider; return whether anything has."""
    given = {name: row[name] for name in TEXTS if name != "reply" or row["reply"]}
    is_changed = any(getattr(review, name) != value for name, value in given.items())
    for name, value in given.items():
        setattr(review, name, value)
    if row["removed"] and review.removed_at is None:
        _mark_removed(review, now)
        is_changed = True
    elif not row["removed"] and review.removed_at is not None:
        # It is there again. Somebody may have hidden it for another reason.
        review.removed_at = None
        if review.hidden_reason == REMOVED:
            review.is_visible, review.hidden_reason = True, ""
        is_changed = True
    if is_changed:
        review.updated_at = now
    return is_changed


def _mark_removed(review: Review, now: datetime) -> None:
    review.removed_at = now
    if review.is_visible:
        review.is_visible, review.hidden_reason = False, REMOVED


def _remove_others(provider: str, keys: set[str]) -> int:
    """Hide the reviews that the provider no longer has; return how many."""
    now, gone = timezone.now(), []
    for review in synced_at_provider(provider).select_for_update(no_key=True).order_by("pk").iterator(chunk_size=BATCH):
        if review.provider_key not in keys:
            _mark_removed(review, now)
            review.updated_at = now
            gone.append(review)
    Review.objects.bulk_update(gone, ["removed_at", "is_visible", "hidden_reason", "updated_at"], batch_size=BATCH)
    for review in gone:
        log(instance=review, action="reviews.removed")
    if gone:
        invalidate([])
    return len(gone)
