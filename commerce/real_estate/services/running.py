"""Runs feeds: starts, continues, pauses and ends their runs. One process at a time has a feed's lease.

No request is sent in a transaction. A run that was interrupted is continued after its last batch.
"""

import logging
import time
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import leases
from cms_api.core.errors import Invalid
from cms_api.core.leases import Stop, never
from cms_api.core.queues import Round, Task, Work

from ..models import Feed, FeedRun
from ..selectors.feeds import due_feeds, due_kind, open_run
from ..types.files import UnreadableFile
from ..types.listings import DAY, MAX_ERROR, OPEN, FeedKind, RunKind, RunStatus
from ..types.requests import DEFAULT_PAUSE, LONGEST_PAUSE, WrongAnswer
from .batches import LEASE, Ended, Incomplete, TooManyRemovals, check_count, forget_seen, now_and, remove_missing
from .feeds import BUSY, forget_file
from .pages import MAX_FAILURES, Later, read_pages
from .photos import try_again
from .reading import read_file

logger = logging.getLogger(__name__)

#: How long others wait for the run of a feed.
TURN_SECONDS = 60
NANOSECONDS = 10**9
NOT_FINISHED = "Another import of this feed is not finished."
NOTHING = "This feed is imported from files. Upload one."


def run_feed(
    *, feed: Feed, kind: str | None = None, allow_removals: bool = False, user: Any = None, stop: Stop = never
) -> FeedRun:
    """Continue the open run of a feed, or start one, and return it as it is when it ends, pauses or fails.

    Without a `kind`, a feed of the RESO Web API has the run that is due: all listings at first, then changes, and once a day a
    comparison of the keys. `allow_removals` confirms that many listings may be removed. `stop` ends the work early; the run is
    then paused. Raises Invalid (`feed`, `kind`).
    """
    leased = leases.claim(Feed.objects.filter(pk=feed.pk), LEASE)
    if leased is None:
        raise Invalid({"feed": BUSY})
    return _run(leased, kind, allow_removals=allow_removals, user=user, stop=stop)


def _run(leased: Feed, kind: str | None, *, allow_removals: bool = False, user: Any = None, stop: Stop = never) -> FeedRun:
    try:
        run = _open(leased, kind, allow_removals=allow_removals, user=user)
        _work(leased, run, stop)
    finally:
        leases.release(leased)
    run.refresh_from_db()
    return run


def _open(feed: Feed, kind: str | None, *, allow_removals: bool, user: Any) -> FeedRun:
    run = open_run(feed)
    if run is not None:
        if kind is not None and run.kind != kind:
            raise Invalid({"kind": NOT_FINISHED})
        run.allows_removals |= allow_removals
        # The process of one that was left running has died: the next one may die of the same.
        run.failures += run.status == RunStatus.RUNNING
        changes: dict[str, Any] = {"status": RunStatus.RUNNING, "resumes_at": None}
        changes |= {"allows_removals": run.allows_removals, "failures": run.failures}
        if FeedRun.objects.filter(pk=run.pk, status__in=OPEN).update(**changes):
            return run
    if feed.kind == FeedKind.FILE:
        raise Invalid({"feed": NOTHING})
    if kind is not None and kind not in (RunKind.FULL, RunKind.UPDATE, RunKind.KEYS):
        raise Invalid({"kind": "Choose all, changed or removed listings."})
    now = timezone.now()
    wanted = RunKind(kind) if kind is not None else due_kind(feed, now)
    if wanted == RunKind.UPDATE and feed.watermark is None:
        wanted = RunKind.FULL
    try:
        with transaction.atomic():
            return FeedRun.objects.create(feed=feed, kind=wanted, started_at=now, allows_removals=allow_removals, user=user)
    except IntegrityError:
        raise Invalid({"feed": NOT_FINISHED}) from None


def _work(feed: Feed, run: FeedRun, stop: Stop) -> None:
    """Do the work of a run until it ends, pauses or fails."""
    if run.failures > MAX_FAILURES:
        _fail(feed, run, leases.LOST)
        return
    try:
        is_done = read_file(feed, run, stop) if run.kind == RunKind.FILE else read_pages(feed, run, stop)
        if not is_done:
            _pause(run, timezone.now())
            return
        check_count(run)
        if run.is_complete or run.kind == RunKind.KEYS:
            remove_missing(feed, run)
        _finish(feed, run)
    except Ended:
        logger.info("The import %s of the feed %s was ended.", run.pk, feed.pk)
    except Later as pause:
        _pause(run, timezone.now() + pause.wait, error=str(pause), failures=run.failures + 1)
    except (Incomplete, TooManyRemovals, UnreadableFile, WrongAnswer) as problem:
        _fail(feed, run, str(problem))
    except Exception as problem:
        # Its message may have values of records.
        logger.exception("The import %s of the feed %s failed.", run.pk, feed.pk)
        error = f"An unexpected error occurred: {type(problem).__name__}."
        if run.failures < MAX_FAILURES:
            _pause(run, timezone.now() + DEFAULT_PAUSE, error=error, failures=run.failures + 1)
        else:
            _fail(feed, run, error)


def _pause(run: FeedRun, until: datetime, **changes: Any) -> None:
    changes = {**changes, "error": str(changes.get("error", ""))[:MAX_ERROR]}
    FeedRun.objects.filter(pk=run.pk, status=RunStatus.RUNNING).update(status=RunStatus.PAUSED, resumes_at=until, **changes)


@transaction.atomic
def _finish(feed: Feed, run: FeedRun) -> None:
    now = timezone.now()
    if not FeedRun.objects.filter(pk=run.pk, status=RunStatus.RUNNING).update(
        **now_and(status=RunStatus.FINISHED, next_link="", error="", file="")
    ):
        return
    changes: dict[str, Any] = {"next_run_at": now + timedelta(minutes=feed.interval_minutes)}
    if run.kind in (RunKind.FULL, RunKind.UPDATE):
        changes["watermark"] = run.started_at
        if feed.keys_checked_at is None or feed.keys_checked_at <= now - DAY:
            changes["next_run_at"] = now
    elif run.kind == RunKind.KEYS:
        changes["keys_checked_at"] = now
    leases.ours(feed).update(**changes)
    try_again(feed, now)
    forget_seen(run)
    forget_file(run)


@transaction.atomic
def _fail(feed: Feed, run: FeedRun, error: str) -> None:
    now = timezone.now()
    if not FeedRun.objects.filter(pk=run.pk, status=RunStatus.RUNNING).update(
        **now_and(status=RunStatus.FAILED, error=error[:MAX_ERROR], next_link="", file="")
    ):
        return
    changes: dict[str, Any] = {"next_run_at": now + timedelta(minutes=feed.interval_minutes)}
    if run.kind == RunKind.KEYS:
        # The brake, or a mistake of the server: not again before tomorrow.
        changes["keys_checked_at"] = now
    leases.ours(feed).update(**changes)
    forget_seen(run)
    forget_file(run)


@transaction.atomic
def stop_run(*, run: FeedRun, user: Any = None) -> bool:
    """Stop a run before its next batch; what is stored stays. Return False if it has ended already."""
    if not FeedRun.objects.filter(pk=run.pk, status__in=OPEN).update(**now_and(status=RunStatus.STOPPED, next_link="", file="")):
        return False
    log(instance=run.feed, action="real_estate.stop_run", user=user)
    wait = timedelta(minutes=run.feed.interval_minutes)
    Feed.objects.filter(pk=run.feed_id).update(next_run_at=timezone.now() + wait)
    forget_seen(run)
    forget_file(run)
    run.refresh_from_db()
    return True


def _free_parked_runs() -> None:
    """Make due what waits for a time that a clock which was ahead has set."""
    latest = timezone.now() + leases.CLOCK_TOLERANCE
    FeedRun.objects.filter(status__in=OPEN, resumes_at__gt=latest + LONGEST_PAUSE).update(resumes_at=timezone.now())
    for feed in Feed.objects.filter(next_run_at__gt=latest):
        if feed.next_run_at and feed.next_run_at > latest + timedelta(minutes=feed.interval_minutes):
            Feed.objects.filter(pk=feed.pk, next_run_at=feed.next_run_at).update(next_run_at=timezone.now())


def _until_others_wait(feed: Feed, stop: Stop) -> Stop:
    """Return what ends a turn of a feed: after TURN_SECONDS, its run is paused if others are due, and goes on after them."""
    ends: list[int] = []

    def is_over() -> bool:
        if stop():
            return True
        if not ends:
            # Not before: each turn stores something, however long it takes to come to where a file was left.
            ends.append(time.monotonic_ns() + TURN_SECONDS * NANOSECONDS)
            return False
        return time.monotonic_ns() > ends[0] and due_feeds(timezone.now()).exclude(pk=feed.pk).exists()

    return is_over


class FeedWork(Work):
    """Runs the feeds that are due, in turns."""

    pause = 10

    def free_parked(self) -> None:
        leases.free_parked(Feed.objects.order_by(), LEASE)
        _free_parked_runs()

    def take(self, stop: Stop) -> Task | None:
        feed = leases.claim(due_feeds(timezone.now()), LEASE)
        return None if feed is None else partial(self._attempt, feed, stop)

    def _attempt(self, feed: Feed, stop: Stop) -> Round:
        _run(feed, None, stop=_until_others_wait(feed, stop))
        return Round(1)


RUNNING = FeedWork()
