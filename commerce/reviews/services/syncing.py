"""Imports the reviews of other providers. They belong to the provider: a change there is taken over, our hiding stays."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.module import Outcome
from cms_api.webhooks.services import emit_all
from commerce.common.services import BATCH, bulk_get_or_create, log_all

from ..models import Review
from ..selectors import synced_at_provider
from ..types import REMOVED, SYNCED, provider_key
from .moderation import invalidate
from .reading import read_file

#: The columns that a provider may change. A reply that it does not have is left alone.
TEXTS = ("author_name", "rating", "title", "body", "reply", "url", "left_at")


@dataclass(frozen=True, slots=True)
class Synced:
    """How many reviews an import has created, changed and so on; those that the provider has removed come on top.

    The reviews of a file are created, changed, unchanged or refused; `mistakes` names the first of the refused ones.
    """

    created: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0
    refused: int = 0
    mistakes: tuple[str, ...] = ()

    def __str__(self) -> str:
        counts = (
            (self.created, "new"),
            (self.changed, "changed"),
            (self.unchanged, "unchanged"),
            (self.refused, "refused"),
            (self.removed, "removed"),
        )
        return ", ".join(f"{count:,} {word}" for count, word in counts) + "."


def sync_reviews(*, provider: str, content: bytes, is_complete: bool = False, user: Any = None) -> Synced:
    """Import a JSON file of a provider. With `is_complete`, reviews that are not in it are gone at the provider: they are hidden.

    It is stored in parts, so that others can write in between. A review that can't be read is left out; if its id
    is not known either, none is hidden. Raises Invalid (`provider`, `file`), and then imports nothing.
    """
    if provider not in SYNCED:
        raise Invalid({"provider": invalid_choice("provider", SYNCED)})
    found = read_file(provider, content)
    rows = found.rows
    if is_complete and not rows:
        raise Invalid({"file": "The file has no reviews. Import it without removing the others."})
    # The last one of a review counts.
    by_key = {provider_key(provider, row["provider_id"]): row for row in rows}
    wanted = list(by_key.values())
    created = changed = removed = 0
    for start in range(0, len(wanted), BATCH):
        with transaction.atomic():
            stored = _store(wanted[start : start + BATCH])
        created, changed, removed = created + len(stored.created), changed + stored.changed, removed + stored.removed
    mistakes = list(found.mistakes)
    if is_complete and not all(found.refused_ids):
        mistakes.append("No review was hidden, as reviews that were refused have no id.")
    elif is_complete:
        refused = {provider_key(provider, key) for key in found.refused_ids if key}
        removed += _remove_others(provider, by_key.keys() | refused)
    unchanged = len(rows) - created - changed
    return Synced(created, changed, removed, unchanged, found.refused, tuple(mistakes))


@transaction.atomic
def write(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[Outcome]:
    """Store rows of a CSV file; return the outcome of each."""
    stored = _store(rows)
    outcomes = []
    for row in rows:
        key = provider_key(row["provider"], row["provider_id"])
        outcomes.append(Outcome.of(created=key in stored.created, changed=key in stored.updated))
        stored.created.discard(key)
    return outcomes


@dataclass(slots=True)
class _Stored:
    created: set[str]
    updated: set[str]
    changed: int
    removed: int


def _store(rows: Sequence[Mapping[str, Any]]) -> _Stored:
    now = timezone.now()
    by_key = {provider_key(row["provider"], row["provider_id"]): row for row in rows}
    known, made = bulk_get_or_create(Review, "provider_key", by_key, lambda keys: [_new(key, by_key[key], now) for key in keys])
    changed = [review for key, review in known.items() if _update(review, by_key[key], now)]
    Review.objects.filter(provider_key__in=known).update(synced_at=now)
    fields = [*TEXTS, "is_visible", "hidden_reason", "removed_at", "updated_at"]
    # The rows are locked, so that none is inserted. `bulk_update` takes ten times as long.
    Review.objects.bulk_create(changed, BATCH, update_conflicts=True, unique_fields=["id"], update_fields=fields)
    new = list(made.values())
    if new or changed:
        get_search_backend().add_bulk(Review, [*new, *changed])
        invalidate([])
    emit_all("review.received", new)
    gone = sum(review.removed_at == now for review in changed)
    return _Stored(set(made), {str(review.provider_key) for review in changed}, len(changed) - gone, gone)


def _new(key: str, row: Mapping[str, Any], now: datetime) -> Review:
    given = {name: row[name] for name in TEXTS}
    review = Review(provider=row["provider"], provider_key=key, **given, synced_at=now, created_at=now, updated_at=now)
    review.replied_at = now if review.reply else None
    if row["removed"]:
        _mark_removed(review, now)
    return review


def _update(review: Review, row: Mapping[str, Any], now: datetime) -> bool:
    """Take over what has changed at the provider; return whether anything has."""
    empty = row.get("empty", ())
    given = {name: row[name] for name in TEXTS if name not in empty and (name != "reply" or row["reply"])}
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


def _remove_others(provider: str, keys: Collection[str]) -> int:
    """Hide the reviews that the provider no longer has; return how many."""
    found = synced_at_provider(provider).order_by("pk").values_list("pk", "provider_key")
    gone = [pk for pk, key in found.iterator(chunk_size=BATCH) if key not in keys]
    return sum(_remove(provider, gone[start : start + BATCH]) for start in range(0, len(gone), BATCH))


@transaction.atomic
def _remove(provider: str, ids: Sequence[int]) -> int:
    now, rows = timezone.now(), synced_at_provider(provider).filter(pk__in=ids)
    gone = list(rows.select_for_update(no_key=True).order_by("pk"))
    same = Review.objects.filter(pk__in=[review.pk for review in gone])
    same.filter(is_visible=True).update(is_visible=False, hidden_reason=REMOVED)
    same.update(removed_at=now, updated_at=now)
    log_all(gone, "reviews.removed")
    if gone:
        invalidate([])
    return len(gone)
