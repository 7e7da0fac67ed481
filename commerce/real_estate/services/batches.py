"""Stores the records of a run in batches, each in one transaction with the run's progress."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from cms_api.core import leases

from ..models import Feed, FeedRun, Property, SeenKey
from ..types.listings import BRAKE, MAX_PROBLEMS, RunStatus
from ..types.reso import Batch, Rules
from .storing import Stored, remove_properties, store

#: Longer than any batch takes.
LEASE = timedelta(minutes=10)
BATCH_ROWS = 500
#: One in so many of a feed's listings may be removed at once without being confirmed.
REMOVAL_DIVISOR = 5


class Ended(Exception):
    """The run was stopped, or another process has taken it up."""


class TooManyRemovals(Exception):
    """More listings would be removed than is plausible. The message is a sentence."""


def rules_of(feed: Feed, *, needs_stamp: bool) -> Rules:
    return Rules(feed.currency, feed.country, shows_coming_soon=feed.shows_coming_soon, needs_stamp=needs_stamp)


def store_batch(feed: Feed, run: FeedRun, batch: Batch, **progress: Any) -> None:
    """Store records and the run's progress, or nothing. Raises Ended."""
    with transaction.atomic():
        _renew_lease(feed)
        stored = Stored()
        for start in range(0, len(batch.mapped), BATCH_ROWS):
            stored = _sum(stored, store(feed, batch.mapped[start : start + BATCH_ROWS]))
        if run.is_complete:
            _see(run, batch.keys)
        problems = {
            "total": run.problems["total"] + len(batch.problems),
            "named": [*run.problems["named"], *batch.problems][:MAX_PROBLEMS],
        }
        counts = {**asdict(stored), "read": batch.size, "skipped": len(batch.problems)}
        figures = {name: getattr(run, name) + count for name, count in counts.items()}
        changes = {**figures, "problems": problems, "failures": 0, **progress}
        _save(run, changes)
    _set(run, changes)


def see_keys(feed: Feed, run: FeedRun, keys: Sequence[str], **progress: Any) -> None:
    """Remember the keys of records, empty for those without one, and the run's progress, or nothing. Raises Ended."""
    with transaction.atomic():
        _renew_lease(feed)
        _see(run, keys)
        changes = {"read": run.read + len(keys), "failures": 0, **progress}
        _save(run, changes)
    _set(run, changes)


def _see(run: FeedRun, keys: Iterable[str]) -> None:
    found = sorted({*keys} - {""})
    SeenKey.objects.bulk_create([SeenKey(run=run, key=key) for key in found], ignore_conflicts=True)


def remove_missing(feed: Feed, run: FeedRun) -> None:
    """Remove the listings of a feed whose keys the run has not seen. Raises TooManyRemovals, and then removes none, and Ended."""
    seen = SeenKey.objects.filter(run=run, key=OuterRef("listing_key"))
    listings = Property.objects.filter(feed=feed)
    missing = listings.exclude(Exists(seen)).order_by("pk")
    count, total = missing.count(), listings.count()
    if count * REMOVAL_DIVISOR > total and not run.allows_removals and not run.removed:
        raise TooManyRemovals(
            f"{count:,} of {total:,} listings would be removed, which is more than {100 // REMOVAL_DIVISOR} %. "
            f"{BRAKE} Check the feed, then run it again and allow removals."
        )
    while ids := list(missing.values_list("pk", flat=True)[:BATCH_ROWS]):
        with transaction.atomic():
            _renew_lease(feed)
            changes = {"removed": run.removed + remove_properties(feed, ids)}
            _save(run, changes)
        _set(run, changes)


def _renew_lease(feed: Feed) -> None:
    """Extend the feed's lease, with its row locked until the transaction ends."""
    if not leases.renew(feed, LEASE):
        raise Ended


def _save(run: FeedRun, changes: dict[str, Any]) -> None:
    if not FeedRun.objects.filter(pk=run.pk, status=RunStatus.RUNNING).update(**changes):
        raise Ended


def _set(run: FeedRun, changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        setattr(run, name, value)


def _sum(left: Stored, right: Stored) -> Stored:
    return Stored(**{name: value + getattr(right, name) for name, value in asdict(left).items()})


def forget_seen(run: FeedRun) -> None:
    SeenKey.objects.filter(run=run).delete()


def now_and(**changes: Any) -> dict[str, Any]:
    """Return the columns of a run that ends now."""
    return {"finished_at": timezone.now(), "resumes_at": None, **changes}
