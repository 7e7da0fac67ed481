"""Stores the records of a run in parts, each in a transaction, and the run's progress with the last one of a batch or page."""

import hashlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any, TypeVar

from django.db import DataError, IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from cms_api.core import leases

from ..models import Feed, FeedRun, Property, SeenKey
from ..types.listings import BRAKE, MAX_PROBLEMS, RunKind, RunStatus
from ..types.reso import Batch, Mapped, Rules
from .storing import Stored, remove_properties, store

logger = logging.getLogger(__name__)

T = TypeVar("T")

#: Longer than a page takes to be fetched and read, or a part to be stored.
LEASE = timedelta(minutes=10)
#: Records that are stored in one transaction: others can write in between.
BATCH_ROWS = 500
#: One in so many of a feed's listings may be removed at once without being confirmed.
REMOVAL_DIVISOR = 5
#: One in so many of the records that a server counts may be missing, as some come and go while they are read.
TOLERANCE_DIVISOR = 100
NO_KEY = "The ListingKey is missing."
NONE_REMOVED = "No listing was removed."
#: Errors about values of one record, or about its slug, which another feed has taken at the same time.
_REFUSED = (DataError, IntegrityError, OverflowError, UnicodeError)


class Ended(Exception):
    """The run was stopped, or another process has taken it up."""


class Incomplete(Exception):
    """Records are missing from what the server has sent. The message is a sentence."""


class TooManyRemovals(Exception):
    """More listings would be removed than is plausible. The message is a sentence."""


def rules_of(feed: Feed, *, needs_stamp: bool) -> Rules:
    return Rules(feed.currency, feed.country, shows_coming_soon=feed.shows_coming_soon, needs_stamp=needs_stamp)


def store_batch(feed: Feed, run: FeedRun, batch: Batch, *, page: str = "", **progress: Any) -> None:
    """Store records in parts, each in a transaction, and the run's progress with the last one. Raises Ended.

    A page that was interrupted is read again, and its records that are stored already are unchanged then. `page` is its address.
    """
    parts = _parts(batch.mapped) or [[]]
    problems, unchanged = list(batch.problems), 0
    for place, part in enumerate(parts, start=1):
        with transaction.atomic():
            _renew_lease(feed)
            priced, unpriced = _with_prices(feed, part)
            stored, refused = _store(feed, priced)
            problems += [*unpriced, *refused]
            unchanged += stored.unchanged
            counts = {**asdict(stored), "unchanged": 0}
            changes: dict[str, Any] = {}
            if place == len(parts):
                # Each record counts once, however often its page is read.
                counts |= {"unchanged": unchanged, "read": batch.size, "skipped": len(problems)}
                changes = {"problems": _with_problems(run, [*problems, *batch.notes]), "failures": 0, **progress}
                _see(run, [*(batch.keys if run.is_complete else ()), *([_mark(page)] if page else ())])
            changes |= {name: getattr(run, name) + count for name, count in counts.items()}
            _save(run, changes)
        _set(run, changes)


def see_keys(feed: Feed, run: FeedRun, keys: Sequence[str], *, page: str, **progress: Any) -> None:
    """Remember the keys of a page's records, empty for those without one, and then the run's progress. Raises Ended."""
    parts = _parts(keys) or [[]]
    for place, part in enumerate(parts, start=1):
        changes: dict[str, Any] = {}
        with transaction.atomic():
            _renew_lease(feed)
            _see(run, part)
            if place == len(parts):
                _see(run, [_mark(page)])
                problems = [{"key": "", "message": NO_KEY}] * sum(not key for key in keys)
                known = len(keys) - len(problems)
                changes = {"read": run.read + len(keys), "unchanged": run.unchanged + known, "failures": 0, **progress}
                changes |= {"skipped": run.skipped + len(problems), "problems": _with_problems(run, problems)}
            _save(run, changes or {"read": run.read})
        _set(run, changes)


def was_read(run: FeedRun, page: str) -> bool:
    """Return whether a run has stored the page at an address."""
    return SeenKey.objects.filter(run=run, key=_mark(page)).exists()


def _mark(page: str) -> str:
    """Return what is remembered of a page; the keys of listings never begin with a space."""
    return f" {hashlib.blake2b(page.encode(), digest_size=16).hexdigest()}"


def _parts(rows: Sequence[T]) -> list[Sequence[T]]:
    return [rows[start : start + BATCH_ROWS] for start in range(0, len(rows), BATCH_ROWS)]


def _with_prices(feed: Feed, mapped: Sequence[Mapped]) -> tuple[list[Mapped], list[dict[str, str]]]:
    """Return records with a price, which is the former one where the record has none, and the problems of the others."""
    without = [each.key for each in mapped if each.price_problem]
    known = dict(Property.objects.filter(feed=feed, listing_key__in=without).values_list("listing_key", "list_price"))
    priced, problems = [], []
    for each in mapped:
        if not each.price_problem:
            priced.append(each)
        elif each.key in known:
            priced.append(replace(each, columns={**each.columns, "list_price": known[each.key]}))
        else:
            problems.append({"key": each.key, "message": each.price_problem})
    return priced, problems


def _store(feed: Feed, mapped: Sequence[Mapped]) -> tuple[Stored, list[dict[str, str]]]:
    """Store records, but those that the database refuses, which are named. Only what is around these is stored in halves."""
    try:
        with transaction.atomic():
            return store(feed, mapped), []
    except _REFUSED as problem:
        if len(mapped) == 1:
            # Its message may have values of the record.
            logger.warning("A listing of the feed %s could not be stored: %s.", feed.pk, type(problem).__name__)
            return Stored(), [{"key": mapped[0].key, "message": "The listing can't be stored."}]
    middle = len(mapped) // 2
    (first, before), (second, after) = _store(feed, mapped[:middle]), _store(feed, mapped[middle:])
    return _sum(first, second), [*before, *after]


def _with_problems(run: FeedRun, problems: Sequence[dict[str, str]]) -> dict[str, Any]:
    named = [*run.problems["named"], *problems][:MAX_PROBLEMS]
    keyless = run.problems.get("keyless", 0) + sum(not problem["key"] for problem in problems)
    found = {"total": run.problems["total"] + len(problems), "named": named}
    return {**found, "keyless": keyless} if keyless else found


def _see(run: FeedRun, keys: Iterable[str]) -> None:
    found = sorted({*keys} - {""})
    SeenKey.objects.bulk_create([SeenKey(run=run, key=key) for key in found], ignore_conflicts=True)


def check_count(run: FeedRun) -> None:
    """Compare what a run has read with the number of records that the server says it has. Raises Incomplete.

    While a run reads all records, some may come and go. A comparison of keys needs each one, as the others are removed.
    """
    is_keys, counted = run.kind == RunKind.KEYS, run.counted
    if is_keys and run.skipped:
        raise Incomplete(f"{run.skipped:,} records have no key. {NONE_REMOVED}")
    read = SeenKey.objects.filter(run=run).exclude(key__startswith=" ").count() if is_keys else run.read
    if counted is None or read == counted:
        return
    message = f"The server says that it has {counted:,} listings, but {read:,} were read."
    if is_keys:
        raise Incomplete(f"{message} {NONE_REMOVED}")
    if counted - read > counted // TOLERANCE_DIVISOR:
        raise Incomplete(f"{message} They are stored, and all are read again.")
    changes = {"problems": _with_problems(run, [{"key": "", "message": message}])}
    _save(run, changes)
    _set(run, changes)


def remove_missing(feed: Feed, run: FeedRun) -> None:
    """Remove the listings of a feed whose keys the run has not seen. Raises TooManyRemovals, and then removes none, and Ended."""
    seen = SeenKey.objects.filter(run=run, key=OuterRef("listing_key"))
    listings = Property.objects.filter(feed=feed)
    missing = listings.exclude(Exists(seen)).order_by("pk")
    count, total = missing.count(), listings.count()
    if run.kind == RunKind.KEYS and total and count == total and run.read:
        raise Incomplete(f"None of the keys that were read is that of a listing. {NONE_REMOVED}")
    keyless = run.problems.get("keyless", 0)
    if count and keyless and not run.allows_removals:
        raise TooManyRemovals(f"{keyless:,} records have no key, and may be listings. {BRAKE} Correct them, or allow removals.")
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
